import { parse } from "yaml";
import { isJsonObject } from "../json/json.ts";

/** A warning that Kubernetes wrote down. */
export interface ClusterEvent {
  /** `BackOff`, `OOMKilling`, `FailedScheduling`... */
  readonly reason: string;
  /** Kind and name of what it is about: `Pod payments-7c9f-x2x`. */
  readonly about: string;
  /** ms since the Unix epoch. */
  readonly t: number;
  readonly message: string;
}

/** Warnings in the event list of kubernetes-mcp-server, a line of prose and YAML; undefined where the text holds no list. */
export function readEvents(text: string): readonly ClusterEvent[] | undefined {
  const list = parseYaml(text);
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((item: unknown) => {
    if (!isJsonObject(item) || item["Type"] !== "Warning" || !isJsonObject(item["InvolvedObject"])) return [];
    const { Kind = "", Name = "" } = item["InvolvedObject"];
    const written = item["Timestamp"];
    // Go's way of writing a time: 2026-11-30 14:05:10 +0000 UTC.
    const t =
      typeof written === "string" ? Date.parse(written.replace(/^(\S+) (\S+) ([+-]\d{4}).*$/, "$1T$2$3")) : Number.NaN;
    if (Number.isNaN(t)) return [];
    const textOf = (value: unknown) => (typeof value === "string" ? value : "");
    return [
      { reason: textOf(item["Reason"]), about: `${textOf(Kind)} ${textOf(Name)}`, t, message: textOf(item["Message"]) },
    ];
  });
}

function parseYaml(text: string): unknown {
  const start = text.search(/^- /m);
  if (start < 0) return undefined;
  try {
    return parse(text.slice(start));
  } catch {
    // A list of another kind: prose like any other.
    return undefined;
  }
}
