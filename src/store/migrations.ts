/** What differs between the databases where tables are made. */
export interface Types {
  readonly text: string;
  readonly integer: string;
  /** Before the name of a table. */
  readonly schema: string;
  /** After the columns of a table, and of one whose rows often change. */
  readonly options: string;
  readonly hotOptions: string;
}

/**
 * How the tables came to be, oldest first: the version of a database is how many of these it has seen. Forward only, and never
 * changed once released: a later version of Korvus adds one.
 */
export const migrations: readonly ((types: Types) => readonly string[])[] = [firstTables];

function firstTables({ text, integer, schema, options, hotOptions }: Types): readonly string[] {
  const ofSession = `session ${text} not null references ${schema}sessions (id) on delete cascade`;
  return [
    `create table ${schema}sessions (
      id ${text} not null primary key check (length(id) <= 64),
      created_at ${integer} not null,
      question ${text} not null,
      question_folded ${text} not null,
      workspace ${text},
      ref ${text},
      workspace_ref ${text},
      no_skills ${text},
      model ${text} not null,
      catalog_digest ${text} not null,
      prompt_digest ${text} not null,
      queued ${integer} not null,
      idempotency_key ${text} unique,
      request_digest ${text},
      status ${text} not null check (status in ('waiting', 'running', 'ended')),
      updated_at ${integer} not null,
      epoch ${integer} not null,
      claim ${text},
      owner ${text},
      alive_at ${integer},
      last_seq ${integer} not null,
      messages ${integer} not null,
      revision ${integer} not null,
      cancel_requested_at ${integer},
      verdict ${text},
      ended ${text}
    ) ${hotOptions}`,
    // No index on what every append changes.
    `create index sessions_created on ${schema}sessions (created_at, id)`,
    `create index sessions_status on ${schema}sessions (status, created_at, id)`,
    `create index sessions_workspace on ${schema}sessions (workspace, created_at, id)`,
    `create table ${schema}session_texts (
      ${ofSession},
      digest ${text} not null,
      primary key (session, digest)
    ) ${options}`,
    `create index session_texts_digest on ${schema}session_texts (digest)`,
    `create table ${schema}events (
      ${ofSession},
      seq ${integer} not null,
      epoch ${integer} not null,
      at ${integer} not null,
      body ${text} not null,
      primary key (session, seq)
    ) ${options}`,
    `create table ${schema}results (
      ${ofSession},
      call ${integer} not null,
      body ${text} not null,
      primary key (session, call)
    ) ${options}`,
    `create table ${schema}messages (
      ${ofSession},
      number ${integer} not null,
      id ${text} not null,
      at ${integer} not null,
      body ${text} not null,
      primary key (session, number),
      unique (session, id)
    ) ${options}`,
    `create table ${schema}workers (
      name ${text} not null primary key,
      version ${text} not null,
      alive_at ${integer} not null,
      running ${integer} not null,
      most ${integer} not null
    ) ${options}`,
    `create table ${schema}texts (
      digest ${text} not null primary key,
      kept_at ${integer} not null,
      body ${text} not null
    ) ${options}`,
  ];
}
