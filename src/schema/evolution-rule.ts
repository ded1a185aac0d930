/**
 * Every kind of change that is told apart, and what becomes of the bytes that are stored.
 * docs/guide/evolution.md shows this table.
 */

/** One kind of change. */
export interface EvolutionRule {
  readonly verdict: 'compatible' | 'refused';
  /** What changed, in a few words. */
  readonly change: string;
  /** What becomes of stored bytes. */
  readonly reason: string;
  /** What to do instead; empty where nothing is wrong. */
  readonly fix: string;
}

const refused = (change: string, reason: string, fix: string): EvolutionRule =>
  Object.freeze({ verdict: 'refused', change, reason, fix });
const compatible = (change: string, reason: string): EvolutionRule =>
  Object.freeze({ verdict: 'compatible', change, reason, fix: '' });

const newKey =
  'declare a new entity with the new key (a literal or a table of its own), and move the rows with rowsmith migrate';

/** Every rule by name. */
export const evolutionRules = {
  'field-number-reused': refused(
    'a field number that another field has, or had',
    "the old field's bytes would be read as the new field",
    'give the new field a number of its own: the next one that is neither in the lock nor reserved there',
  ),
  'field-renumbered': refused(
    'a field with another number',
    'what was stored under the old number would not be found',
    'keep the old number; leave the number out to let the lock keep it',
  ),
  'field-type': refused(
    "a field's type changed to one that reads other values",
    'stored bytes would be refused, cut or read as other values',
    'add a field with a new number, and fill it from the old one with an upgrade function',
  ),
  'field-label': refused(
    'a list or a map made singular, or a map made a list',
    'all elements but the last would be lost, or bytes misread',
    'add a field with a new number',
  ),
  'oneof-joined': refused(
    'stored fields put into one oneof',
    'where several of them are stored together, all but the last would be dropped',
    'leave the stored fields outside, or put one of them into a new oneof',
  ),
  'enum-value-removed': refused(
    'an enum member removed',
    'stored numbers would have no name, and a later member could take the number',
    'keep the member and mark it @deprecated',
  ),
  'enum-value-renumbered': refused(
    'an enum member with another number',
    'stored numbers would mean another member',
    'keep its number, and add members with numbers of their own',
  ),
  'segment-added': refused(
    'a segment or literal added to a key',
    'old keys lack it, so old rows would not be read at all',
    newKey,
  ),
  'segment-removed': refused(
    'a segment or literal removed from a key',
    'old keys have a part more, so old rows would not be read at all',
    newKey,
  ),
  'segment-reordered': refused(
    'the segments of a key reordered',
    'the values of old keys would land in other properties',
    newKey,
  ),
  'segment-encoded': refused(
    'a segment encoded otherwise',
    'old keys would be read as other values, or not at all',
    newKey,
  ),
  'segment-narrowed': refused(
    "a segment's limit lowered, or an enum's member taken out",
    'old rows past the limit would not be read',
    'keep the limit in the key, and check new values with a validation rule',
  ),
  'literal-renamed': refused('a literal of a key renamed', 'old rows would not be found', newKey),
  'shards-changed': refused(
    'a shard count or its segments changed',
    'rows would be looked for in other shards than those they are in',
    newKey,
  ),
  'key-format': refused(
    'a key format changed',
    'old keys would be read as other values, or not at all',
    newKey,
  ),
  'key-taken': refused(
    "a key that a removed entity's rows can have",
    'rows of the removed entity would be read as the new one',
    'start the key with a literal of its own',
  ),
  'table-changed': refused(
    'an entity moved to another table',
    'its rows are in the old table',
    'name the old table, or move the rows with rowsmith migrate',
  ),
  'qualifier-reused': refused(
    'a column that held another kind of value',
    'stored cells would be refused or read as other values',
    'give the new column another qualifier',
  ),
  'column-moved': refused(
    'a column in another family',
    'stored values stay in the old family and would not be read',
    'keep the family, or move the rows with rowsmith migrate',
  ),
  'column-renamed': refused(
    'a column with another qualifier, or that reads an earlier one no more',
    'values under the old qualifier would not be read',
    "keep the name in storage with { qualifier: 'old' }, or read both with @AlsoReads('old')",
  ),
  'column-version': refused(
    "the version of a column's values lowered",
    'values of the newer version are stored, and this program would refuse them',
    'keep every upgrade function',
  ),
  'family-aggregate': refused(
    'the aggregate of a family changed',
    "a family's kind is fixed when it is created",
    'declare a family of another name',
  ),
  'marker-removed': refused(
    'the marker of an entity removed or moved',
    'rows with no other cell would not be found',
    'keep the marker',
  ),

  'field-added': compatible('a new field', 'old bytes lack it, and it is absent'),
  'field-removed': compatible(
    'a field removed',
    'stored bytes are kept as unknown fields; the lock reserves number and name',
  ),
  'field-restored': compatible(
    'a removed field declared again, with the same number, name and type',
    'old values are read again',
  ),
  'field-renamed': compatible(
    'a field renamed, with the same number',
    'bytes have numbers, not names',
  ),
  'field-widened': compatible(
    "a field's type changed to one that reads the same values",
    'protobuf writes both alike: every old value is in the new type',
  ),
  'enum-value-added': compatible(
    'a new enum member',
    'enums are open: older programs keep the number',
  ),
  'enum-value-renamed': compatible(
    'an enum member renamed, with the same number',
    'bytes have numbers, not names',
  ),
  'message-added': compatible('a new message or enum', 'nothing of it is stored'),
  'entity-added': compatible('a new entity', 'nothing of it is stored'),
  'entity-removed': compatible(
    'an entity removed',
    'its rows stay; the lock keeps its key, so that no other entity reads them',
  ),
  'entity-renamed': compatible(
    'an entity class renamed, with the same table and key',
    'storage does not know the name',
  ),
  'segment-renamed': compatible('a segment renamed in its place', 'keys have values, not names'),
  'segment-widened': compatible(
    "a segment's limit raised, or an enum's member added",
    'old keys are read as before',
  ),
  'column-added': compatible('a new column', 'old rows lack it, and it is absent or its default'),
  'column-removed': compatible('a column removed', 'its cells stay; the lock keeps what they hold'),
  'column-restored': compatible(
    'a removed column declared again, with the same kind of value',
    'old values are read again',
  ),
  'column-property': compatible(
    "a column's property renamed, with the same qualifier",
    'storage knows the qualifier only',
  ),
  'column-widened': compatible(
    "a column's kind changed to one that reads the same values",
    'both are written alike',
  ),
  'column-also-reads': compatible(
    'a column with another qualifier that also reads the old one',
    'the old value is read until the row is saved',
  ),
  'column-versioned': compatible(
    'a column whose values have a newer version',
    'upgrade functions bring old values up when they are read',
  ),
  'family-added': compatible('a new family', 'nothing of it is stored'),
} as const satisfies Readonly<Record<string, EvolutionRule>>;

/** The name of a rule. */
export type EvolutionRuleName = keyof typeof evolutionRules;

/** One change of the declarations against the lock. */
export interface EvolutionChange {
  readonly rule: EvolutionRuleName;
  readonly verdict: 'compatible' | 'refused';
  /**
   * What changed, as `--accept` names it: `telemetry.Status.3`, `telemetry.Mode.BUSY`,
   * `Reading.key`, `Reading.m:temperature`.
   */
  readonly at: string;
  /** What changed here, in a sentence: from what to what. */
  readonly problem: string;
  /** What becomes of stored bytes. */
  readonly reason: string;
  /** What to do instead; undefined where nothing is wrong. */
  readonly fix?: string;
}

/** A change under its rule. */
export function changeOf(rule: EvolutionRuleName, at: string, problem: string): EvolutionChange {
  const { verdict, reason, fix }: EvolutionRule = evolutionRules[rule];
  return Object.freeze({ rule, verdict, at, problem, reason, ...(fix === '' ? {} : { fix }) });
}
