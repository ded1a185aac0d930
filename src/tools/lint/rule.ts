/** What a rule of `lint` is: plain data and one function. */
import type { EntityModel } from '../../entities/model/index.js';
import type { LintSubject } from './subject/subject.js';

/** How serious a finding is. */
export type LintLevel = 'info' | 'warning' | 'error';

/** What a rule finds in one entity. */
export interface RuleFinding {
  /** The segment, the column, or `indexes` or `rollups`; undefined for the entity as a whole. */
  readonly property?: string | undefined;
  readonly family?: string | undefined;
  /** What is wrong, naming what it is about. */
  readonly problem: string;
  /** The change to make. */
  readonly fix: string;
  /** Default: the level of the rule. */
  readonly level?: LintLevel | undefined;
}

/** What is the same for all entities of a run. */
export interface LintContext {
  readonly models: readonly EntityModel[];
  /** The number of nodes over which writes should be spread. */
  readonly nodes: number;
  /** Whether an app profile with multi-cluster routing writes the rows. */
  readonly multiCluster: boolean;
}

/** A rule. docs/lint has a page for each. */
export interface LintRule {
  /** `K` and two digits for keys, `F` for families and columns, `L` for lint itself. */
  readonly id: string;
  /** Of its findings, unless they have their own. */
  readonly level: LintLevel;
  /** Whether findings of level `error` mean lost data or failing calls: `open` warns of them. */
  readonly atOpen?: true;
  /** What is wrong, in a few words. */
  readonly title: string;
  /** Why it is wrong, in a sentence or two. */
  readonly reason: string;
  /** Address of the document that it follows. */
  readonly source: string;
  /** What to do, in general. */
  readonly fix: string;
  /** The findings in one entity. */
  readonly check: (subject: LintSubject, context: LintContext) => readonly RuleFinding[];
}

/** Pages of Google's documentation of Bigtable. */
export const sources = {
  schema: 'https://cloud.google.com/bigtable/docs/schema-design',
  rowKeys: 'https://cloud.google.com/bigtable/docs/schema-design#row-keys',
  avoid: 'https://cloud.google.com/bigtable/docs/schema-design#row-keys-avoid',
  families: 'https://cloud.google.com/bigtable/docs/schema-design#column-families',
  columns: 'https://cloud.google.com/bigtable/docs/schema-design#columns',
  tables: 'https://cloud.google.com/bigtable/docs/schema-design#tables',
  timeSeries: 'https://cloud.google.com/bigtable/docs/schema-design-time-series',
  collection: 'https://cloud.google.com/bigtable/docs/garbage-collection',
  sequenceNumbers: 'https://cloud.google.com/bigtable/docs/gc-sequence-numbers',
  quotas: 'https://cloud.google.com/bigtable/quotas',
  reads: 'https://cloud.google.com/bigtable/docs/reads',
  writes: 'https://cloud.google.com/bigtable/docs/writes',
  performance: 'https://cloud.google.com/bigtable/docs/performance',
  routing: 'https://cloud.google.com/bigtable/docs/routing',
  secondaryIndexes: 'https://cloud.google.com/bigtable/docs/asynchronous-secondary-index',
  keySchema:
    'https://cloud.google.com/bigtable/docs/reference/admin/rpc/google.bigtable.admin.v2#table',
  lint: 'https://cloud.google.com/bigtable/docs/schema-design',
} as const;
