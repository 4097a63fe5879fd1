export type { Log } from "../log/log.ts";
export { type BrokenFile, type Catalog, CatalogError, load } from "../skill/catalog.ts";
export { type Frontmatter, type Place, parse, type Skill, SkillError, type SkillErrorCode } from "../skill/skill.ts";
