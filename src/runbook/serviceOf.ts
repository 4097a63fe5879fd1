/** Labels that name a service, in the order in which they are trusted. */
export const defaultServiceLabels: readonly string[] = [
  "service",
  "service_name",
  "serviceName",
  "resource_service_name",
  "app",
  "app_kubernetes_io_name",
  "application",
  "deployment",
  "workload",
  "container",
  "pod",
  "job",
];

/** Names the service that labels speak of, if they do. */
export type ServiceOf = (labels: Readonly<Record<string, string>>) => string | undefined;

/** The service that labels speak of; undefined where none of them does. A pod counts for what it is a copy of. */
export function serviceOf(
  labels: Readonly<Record<string, string>>,
  serviceLabels: readonly string[] = defaultServiceLabels,
): string | undefined {
  const label = serviceLabels.find((name) => labels[name] !== undefined && labels[name] !== "");
  if (label === undefined) return undefined;
  const value = labels[label] as string;
  return label === "pod" ? value.replace(/(-[0-9a-f]{6,10})?-([0-9a-z]{5}|\d+)$/, "") : value;
}
