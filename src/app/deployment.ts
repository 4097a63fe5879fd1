import type { Config } from "../config/config.ts";
import { type Catalog, load } from "../skill/catalog.ts";
import { connectServers, type Servers, type ServersOptions } from "./servers.ts";

export interface DeploymentOptions extends ServersOptions {
  /** Directory of the skills; default: the configuration's. */
  readonly skills?: string;
}

/** What start-up leaves standing. */
export interface Deployment extends Servers {
  /** Loaded once. Files or servers that change later change nothing. */
  readonly catalog: Catalog;
}

/**
 * The start-up order: configuration, then MCP discovery, then the catalog, since the filter needs the servers that
 * actually connected. A broken skill file stops it (`CatalogError`), and nothing is left running then.
 */
export async function startDeployment(config: Config, options: DeploymentOptions): Promise<Deployment> {
  const servers = await connectServers(config, options);
  try {
    const catalog = await load(options.skills ?? config.skills.path, servers.registry.connected(), options.log);
    warnOfSecrets(catalog, servers, options);
    return { ...servers, catalog };
  } catch (error) {
    await servers.abandon();
    throw error;
  }
}

/** A skill reaches the model as it was written, so a secret in it can only be pointed at. */
function warnOfSecrets({ skills }: Catalog, { redact }: Servers, { log }: DeploymentOptions): void {
  for (const { name, description, body } of skills) {
    if (redact(body) === body && redact(description) === description) continue;
    log.warn({ skill: name }, "a skill holds a secret of the configuration, and skills reach the model as they are");
  }
}
