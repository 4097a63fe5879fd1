import type { RunEvent, SessionCreated, SessionInputs, SessionModel } from "../agent/events.ts";
import { systemPrompt } from "../agent/systemPrompt.ts";
import type { Budget } from "../config/config.ts";
import { canonicalJson, type Json } from "../json/json.ts";
import type { NewSession } from "../store/store.ts";
import type { ResolvedRef, ScratchTree } from "../workspace/workspace.ts";
import { catalogText, sha256 } from "./catalogText.ts";
import { droppedSkills, serverFacts } from "./facts.ts";
import { questionMessage } from "./questionMessage.ts";
import { type CreateSession, type QuestionMessage, SessionError } from "./session.ts";
import { offeredTools, workspaceServer } from "./sessionTools.ts";
import { skillsFor } from "./skillsFor.ts";
import { toRow } from "./storedLog.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * Everything that a session's prompt depends on, settled once: its commit, its skills, the connected servers, the tools, the
 * model. What comes out is what the store keeps; nothing of it is looked up again later. Rejects with `SessionError` or
 * `WorkspaceError`.
 */
export async function createSession(
  request: CreateSession,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<NewSession> {
  const { clock } = surroundings;
  const message = questionMessage(request, surroundings);
  const budget = budgetOf(request, surroundings.config.budget);
  const model = surroundings.models.describe(request.model);
  // A key that is missing is told now, not in mid-incident.
  await surroundings.models.open(model);

  const pin = request.workspace && (await pinned(request.workspace, surroundings, signal));
  // Read from in the following line, and not needed after it: who runs the session seeds a tree of its own.
  await using _tree = pin?.tree;
  const { inputs, texts } = await inputsOf(
    { pin, model, budget, set: surroundings.redact(request.set ?? {}) },
    surroundings,
  );

  const id = clock.id();
  const now = clock.now();
  const created: SessionCreated = { type: "session.created", session: id, inputs, seals: sealsOf(inputs) };
  const first: RunEvent = { v: 1, seq: 1, at: now, ...created };
  return {
    id,
    createdAt: now,
    question: message.question,
    ...(inputs.workspace
      ? { workspace: inputs.workspace.name, ref: inputs.workspace.ref, workspaceRef: inputs.workspace.commit }
      : {}),
    ...(inputs.noSkills === null ? {} : { noSkills: inputs.noSkills }),
    model: model.id,
    catalogDigest: inputs.catalog,
    promptDigest: inputs.prompt,
    queued: request.queued,
    ...(request.idempotencyKey === undefined
      ? {}
      : { idempotencyKey: request.idempotencyKey, requestDigest: requestDigest(request) }),
    texts,
    events: [toRow(first)],
    message: { id: clock.id(), at: now, body: JSON.stringify(message satisfies QuestionMessage) },
  };
}

/** Tells a repeated request from another one with the same idempotency key. */
export function requestDigest({ idempotencyKey: _key, ...request }: CreateSession): string {
  return sha256(canonicalJson(JSON.parse(JSON.stringify(request)) as Json));
}

/** SHA-256 of each input's canonical JSON. */
export function sealsOf(inputs: SessionInputs): SessionCreated["seals"] {
  const entries = Object.entries(inputs).map(([key, value]) => [key, sha256(canonicalJson(value as Json))]);
  return Object.fromEntries(entries) as SessionCreated["seals"];
}

interface Pin {
  readonly resolved: ResolvedRef;
  readonly tree: ScratchTree;
}

async function pinned(
  { name, ref }: NonNullable<CreateSession["workspace"]>,
  { workspaces }: Surroundings,
  signal: AbortSignal,
): Promise<Pin> {
  const resolved = await workspaces.resolve(name, ref, signal);
  return { resolved, tree: await workspaces.seed(name, resolved.commit, signal) };
}

interface Settled {
  readonly pin: Pin | undefined;
  readonly model: SessionModel;
  readonly budget: Budget;
  readonly set: Readonly<Record<string, string>>;
}

async function inputsOf(
  { pin, model, budget, set }: Settled,
  { registry, catalog: deployment, log, redact, version }: Surroundings,
): Promise<{ inputs: SessionInputs; texts: readonly string[] }> {
  const connected = registry.connected();
  const { catalog, noSkills } = await skillsFor(pin?.tree, { deployment, connected, log });
  const tools = canonicalJson(offeredTools(registry, { pinned: pin !== undefined, redact }) as unknown as Json);
  const texts = { catalog: catalogText(catalog), prompt: systemPrompt(catalog), tools };
  const facts = serverFacts(registry);
  const fingerprints = registry
    .states()
    .flatMap(({ name, fingerprint }) => (fingerprint === undefined ? [] : [[name, fingerprint] as const]));
  const inputs: SessionInputs = {
    korvus: version,
    workspace: pin ? { name: pin.resolved.workspace, ref: pin.resolved.ref, commit: pin.resolved.commit } : null,
    leftOut: pin?.tree.leftOut ?? [],
    noSkills: noSkills ?? null,
    connected,
    servers: pin ? [...facts, { name: workspaceServer, connected: true }] : facts,
    dropped: droppedSkills(catalog, registry),
    fingerprints: Object.fromEntries(fingerprints),
    catalog: sha256(texts.catalog),
    prompt: sha256(texts.prompt),
    tools: sha256(texts.tools),
    model,
    budget,
    set,
  };
  return { inputs, texts: Object.values(texts) };
}

/** What the request wants less of than the configuration allows; more is refused. */
function budgetOf({ budget = {} }: CreateSession, allowed: Budget): Budget {
  for (const [key, wanted] of Object.entries(budget)) {
    const most = allowed[key as keyof Budget];
    if (!(wanted > 0)) throw new SessionError("invalid", `budget.${key} must be more than nothing, got ${wanted}`);
    if (most !== undefined && wanted > most)
      throw new SessionError("invalid", `budget.${key} may be at most ${most}, which the configuration allows`);
    if (key === "cost" && most === undefined)
      throw new SessionError("invalid", "budget.cost needs the model's price in the configuration");
  }
  return { ...allowed, ...budget };
}
