const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
const mostPoints = 360;

/** Time between two points, ms: the smallest round one with which `length` ms have no more points than a chart can show. */
export function stepFor(length: number): number {
  const seconds = length / 1000;
  return (steps.find((step) => seconds / step <= mostPoints) ?? Math.ceil(seconds / mostPoints)) * 1000;
}
