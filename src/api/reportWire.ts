import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Report } from "../report/report.ts";
import type { ReportSchema, Report as WireReport } from "../wire/report_pb.ts";

/** A report as the API gives it. */
export function reportToWire(report: Report): MessageInitShape<typeof ReportSchema> {
  const { coverage, catalog, findings, workspace } = report;
  return {
    question: report.question,
    verdict: report.verdict,
    claimedVerdict: report.claimedVerdict,
    summary: report.summary,
    findings: findings.map(({ statement, evidence, status, problems }) => ({
      statement,
      status,
      evidence: [...evidence],
      problems: [...problems],
    })),
    limits: [...report.limits],
    nextSteps: [...report.nextSteps],
    skillsUsed: [...report.skillsUsed],
    skillsCited: [...report.skillsCited],
    catalogDigest: catalog.digest,
    catalogSkills: catalog.skills,
    ...(workspace ? { workspace } : {}),
    coverage: {
      servers: coverage.servers.map(({ calls, ...server }) => ({
        ...server,
        calls: { ...calls } as Record<string, number>,
      })),
      skillsDropped: [...coverage.skillsDropped],
      ...(coverage.noSkills === undefined ? {} : { noSkills: coverage.noSkills }),
      leftOut: [...(coverage.leftOut ?? [])],
      budgets: [...coverage.budgets],
      notices: [...coverage.notices],
    },
  };
}

/** The way back, for a client: what `reportToWire` was given. The words of its enumerations are the server's. */
export function reportFromWire(wire: WireReport): Report {
  const { coverage, workspace } = wire;
  const plain = {
    v: 1,
    question: wire.question,
    verdict: wire.verdict,
    claimedVerdict: wire.claimedVerdict,
    summary: wire.summary,
    findings: wire.findings.map(({ statement, evidence, status, problems }) => ({
      statement,
      evidence: evidence.map(({ call, server }) => ({ call, server })),
      status,
      problems,
    })),
    limits: wire.limits,
    nextSteps: wire.nextSteps,
    skillsUsed: wire.skillsUsed,
    skillsCited: wire.skillsCited,
    catalog: { digest: wire.catalogDigest, skills: wire.catalogSkills },
    ...(workspace ? { workspace: { name: workspace.name, ref: workspace.ref, commit: workspace.commit } } : {}),
    coverage: {
      ...(coverage?.noSkills === undefined ? {} : { noSkills: coverage.noSkills }),
      ...(coverage && coverage.leftOut.length > 0
        ? { leftOut: coverage.leftOut.map(({ path, reason }) => ({ path, reason })) }
        : {}),
      servers: (coverage?.servers ?? []).map(({ server, state, calls, reason }) => ({
        server,
        state,
        calls,
        ...(reason === undefined ? {} : { reason }),
      })),
      skillsDropped: (coverage?.skillsDropped ?? []).map(({ name, mcpServer, reason }) => ({
        name,
        mcpServer,
        reason,
      })),
      budgets: (coverage?.budgets ?? []).map(({ budget, message }) => ({ budget, message })),
      notices: coverage?.notices ?? [],
    },
  };
  return plain as Report;
}
