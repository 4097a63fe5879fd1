import { cancel, isCancel, multiselect, text } from "@clack/prompts";
import type { FoundBackend } from "../app/usualBackends.ts";
import { readModelName } from "../config/model.ts";
import { UsageError } from "./exitCode.ts";

/** Asks which of the found backends to use, and for a model. Enter takes what is proposed. */
export async function askStarter(
  found: readonly FoundBackend[],
  { model: given }: { readonly model?: string },
): Promise<{ readonly backends: readonly FoundBackend[]; readonly model?: string }> {
  const backends = found.length === 0 ? [] : await askBackends(found);
  const model = given ?? (await askModel());
  return { backends, ...(model === "" ? {} : { model }) };
}

async function askBackends(found: readonly FoundBackend[]): Promise<readonly FoundBackend[]> {
  return answer(
    await multiselect<FoundBackend>({
      message: "Which backends shall Korvus ask?",
      options: found.map((backend) => ({ value: backend, label: `${backend.backend.title} at ${backend.url}` })),
      initialValues: [...found],
      required: false,
    }),
  );
}

async function askModel(): Promise<string> {
  return answer(
    await text({
      message: "Which model? Enter for none: runbook then follows the queries in the skills.",
      placeholder: "for example anthropic/claude-sonnet-4-5",
      defaultValue: "",
      validate: (value) => {
        const read = value ? readModelName(value) : undefined;
        return read?.kind === "wrong" ? read.message : undefined;
      },
    }),
  );
}

function answer<T>(value: T): Exclude<T, symbol> {
  if (!isCancel(value)) return value as Exclude<T, symbol>;
  cancel("Nothing is written.");
  throw new UsageError("init was cancelled");
}
