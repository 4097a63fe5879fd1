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
      return `${digits(value)}/s`;
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

/** Three significant digits, with k, M and G, and without an exponent for what people meet. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 9.995e8) return `${short(value / 1e9)} G`;
  if (size >= 9.995e5) return `${short(value / 1e6)} M`;
  if (size >= 9995) return `${short(value / 1e3)} k`;
  if (size >= 1000) return value.toFixed(0);
  return short(value);
}

function short(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return rounded !== 0 && Math.abs(rounded) < 1e-4 ? rounded.toExponential() : String(rounded);
}

const halfADay = 12 * 60 * 60_000;

/** `14:02:10` in UTC; with the day, `11-30 14:02:10`, where it is far from the window's end. */
export function clockTime(time: number, { to }: { readonly to: number }): string {
  const text = new Date(time).toISOString();
  const clock = text.slice(11, 19);
  return Math.abs(to - time) < halfADay ? clock : `${text.slice(5, 10)} ${clock}`;
}
