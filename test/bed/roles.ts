/** What a service does in the bed. Its name, which everybody sees, may be another. */
export type Role = "checkout" | "inventory" | "payments";

export type Names = Readonly<Record<Role, string>>;

interface RoleSpec {
  readonly route: string;
  /** Milliseconds of work of its own, at the median. */
  readonly work: number;
  readonly calls: readonly Role[];
}

export const roles: Readonly<Record<Role, RoleSpec>> = {
  checkout: { route: "/checkout", work: 4, calls: ["inventory", "payments"] },
  inventory: { route: "/reserve", work: 8, calls: [] },
  payments: { route: "/charge", work: 12, calls: [] },
};
