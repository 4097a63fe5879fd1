import { stringify } from "yaml";
import { type Program, thirdParty } from "../kit/thirdParty.ts";

export interface BedUrls {
  readonly prometheus: string;
  readonly alertmanager: string;
  /** autotel-mcp's MCP endpoint. */
  readonly otel: string;
}

/** `prometheus` and `alertmanager` are Go programs for linux on amd64, `prometheus-node` and `otel` run anywhere. */
export type BedServer = "prometheus" | "prometheus-node" | "alertmanager" | "otel";

export const bedServers: readonly BedServer[] = ["prometheus", "prometheus-node", "alertmanager", "otel"];

/** The `mcp` section of a korvus.yaml that reaches the bed through the given servers. */
export function korvusYaml(urls: BedUrls, servers: readonly BedServer[] = bedServers): string {
  const sections: Readonly<Record<BedServer, object>> = {
    prometheus: stdio(thirdParty.prometheusGo, { PROMETHEUS_URL: urls.prometheus }),
    "prometheus-node": stdio(thirdParty.prometheusNode, { PROMETHEUS_URL: urls.prometheus }),
    alertmanager: stdio(thirdParty.alertmanagerGo, { ALERTMANAGER_URL: urls.alertmanager }),
    otel: { url: urls.otel },
  };
  return stringify({ mcp: { servers: Object.fromEntries(servers.map((name) => [name, sections[name]])) } });
}

function stdio({ command, args }: Program, env: Readonly<Record<string, string>>): object {
  return { command, args: [...args], env };
}
