import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";

const root = join(import.meta.dirname, "..");
const read = (name: string) => readFileSync(join(root, "deploy", name), "utf8");

interface Service {
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
}

test("the compose file is YAML without faults: PostgreSQL, a server, two workers, each with a state of its own", () => {
  const document = parseDocument(read("compose.yaml"), { merge: true });
  const { services, volumes } = document.toJS() as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
  };

  expect([...document.errors, ...document.warnings]).toEqual([]);
  expect(Object.keys(services)).toEqual(["postgres", "server", "worker-1", "worker-2"]);
  expect(Object.values(services).map(({ command }) => command?.[0])).toEqual([undefined, "serve", "worker", "worker"]);
  const named = Object.values(services).flatMap((service) =>
    (service.volumes ?? []).map((volume) => volume.split(":")[0] as string),
  );
  expect(named.filter((name) => !name.startsWith("."))).toEqual(Object.keys(volumes));
});

test("the Dockerfile copies what is there, and what the build makes", () => {
  const copied = [...read("Dockerfile").matchAll(/^COPY (?:--from=build )?(.+)$/gm)].flatMap(([, words = ""]) =>
    words.split(" ").slice(0, -1),
  );
  const sources = copied.map((path) => path.replace(/^\/src\//, "")).filter((path) => path !== "." && path !== "dist");

  expect(sources.length).toBeGreaterThan(4);
  expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test.each([
  ["the Dockerfile", /CMD \["(\w+)"/.exec(read("Dockerfile"))?.[1] ?? ""],
  ["the systemd unit", /ExecStart=\S+ (\w+)/.exec(read("korvus.service"))?.[1] ?? ""],
])("%s runs a command that there is", (_, command) => {
  const help = execFileSync(process.execPath, [join(root, "src/cli/main.ts"), command, "--help"], { encoding: "utf8" });

  expect(help).toContain(`korvus ${command}`);
});

test("the systemd unit has sections and keys that systemd knows", () => {
  const known: Readonly<Record<string, readonly string[]>> = {
    Unit: ["Description", "After", "Wants"],
    Service: (
      "Type User EnvironmentFile WorkingDirectory ExecStart TimeoutStopSec Restart RestartSec " +
      "StateDirectory StateDirectoryMode NoNewPrivileges ProtectSystem ProtectHome PrivateTmp"
    ).split(" "),
    Install: ["WantedBy"],
  };
  let section = "";
  for (const line of read("korvus.service")
    .split("\n")
    .filter((text) => text !== "" && !text.startsWith("#"))) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (name === undefined) expect(known[section], line).toContain(line.split("=")[0]);
    else section = name;
  }
  expect(section).toBe("Install");
});
