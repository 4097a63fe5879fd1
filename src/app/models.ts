import type { SessionModel } from "../agent/events.ts";
import type { Config, ModelConfig } from "../config/config.ts";
import type { Environment } from "../config/expandVariables.ts";
import { keyVariables, modelFromFlag, readModelName } from "../config/model.ts";
import type { Log } from "../log/log.ts";
import { createModel } from "../model/createModel.ts";
import type { Secret } from "../redact/redact.ts";
import { SessionError } from "../session/session.ts";
import type { Models, OpenModel } from "../session/surroundings.ts";

/** The model of a session that needs none. */
const runbook: SessionModel = { id: "runbook", window: 1_000_000, maxOutput: null, options: {} };

/** The configured model, and those that a session asks for by name. Each is made once. */
export function configuredModels(
  config: Config,
  { env, log }: { readonly env: Environment; readonly log: Log },
): Models {
  const opened = new Map<string, Promise<OpenModel>>();
  const secrets = [...config.secrets, ...providerKeys(env)];
  const open = async (model: ModelConfig): Promise<OpenModel> => ({
    model: await createModel(model, { secrets, log }),
    ...(model.price ? { price: model.price } : {}),
  });
  return {
    describe(name) {
      const model = name === undefined ? config.model : named(name, config, env);
      return model ? described(model) : runbook;
    },
    async open(model) {
      if (model.id === runbook.id) return undefined;
      const known = named(model.id, config, env);
      if (!known) return undefined;
      const { maxOutput } = model;
      const whole = {
        ...known,
        window: model.window,
        options: model.options,
        ...(maxOutput === null ? {} : { maxOutput }),
      };
      const key = JSON.stringify(model);
      const opening = opened.get(key) ?? open(whole);
      opened.set(key, opening);
      return await opening;
    },
  };
}

/** Values that no provider's message may show, whichever model is asked for. */
function providerKeys(env: Environment): readonly Secret[] {
  return Object.values(keyVariables).flatMap((name) => {
    const value = env[name];
    return value ? [{ name, value }] : [];
  });
}

function idOf({ provider, name }: ModelConfig): string {
  return `${provider}/${name}`;
}

function described(model: ModelConfig): SessionModel {
  const { window, maxOutput, options } = model;
  return { id: idOf(model), window, maxOutput, options };
}

/** The model of that name: the configured one where it is that, with its address and key. Undefined for runbook. */
function named(name: string, { model }: Config, env: Environment): ModelConfig | undefined {
  if (model && idOf(model) === name) return model;
  const read = readModelName(name);
  if (read.kind === "wrong") throw new SessionError("invalid", `model ${name}: ${read.message}`);
  return modelFromFlag(name, env).model;
}
