import type { Unit } from "../query/block.ts";

/** A number as people write it, three digits and a unit: `24 ms`, `43 %`, `118 MiB`, `19.5/s`. */
export function quantity(value: number, unit: Unit | undefined): string {
  switch (unit) {
    case "seconds":
      return timeOf(value * 1000);
    case "milliseconds":
      return timeOf(value);
    case "ratio":
      return `${digits(value * 100)} %`;
    case "bytes":
      return bytesOf(value);
    case "per_second":
      return Math.abs(value) >= 100_000 ? `${bytesOf(value)}/s` : `${digits(value)}/s`;
    case "cores":
      return `${digits(value)} cores`;
    default:
      return digits(value);
  }
}

function timeOf(ms: number): string {
  return Math.abs(ms) < 1000 ? `${digits(ms)} ms` : `${digits(ms / 1000)} s`;
}

function bytesOf(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let index = 0;
  let rest = value;
  while (Math.abs(rest) >= 1024 && index < units.length - 1) {
    rest /= 1024;
    index += 1;
  }
  return `${digits(rest)} ${units[index]}`;
}

/** Three significant digits, without an exponent for what people meet. */
function digits(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1000) return value.toFixed(0);
  const short = Number(value.toPrecision(3));
  return Math.abs(short) < 1e-4 ? short.toExponential() : String(short);
}

/** `14:02:10`, in UTC. */
export function clockTime(time: number): string {
  return new Date(time).toISOString().slice(11, 19);
}
