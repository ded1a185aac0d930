/**
 * All kinds of changes of declarations, and what each means for stored bytes.
 * docs/guide/evolution.md sums up what is rejected.
 */
import type { ProblemText } from '../../../base/index.js';

/** A kind of change. */
export interface EvolutionRule {
  readonly verdict: 'compatible' | 'rejected';
  /** What changed, in a few words. */
  readonly change: string;
  /** What it means for stored bytes. */
  readonly reason: string;
  /** What to do instead; empty for compatible changes. */
  readonly fix: string;
}

const rejected = (change: string, reason: string, fix: string): EvolutionRule =>
  Object.freeze({ verdict: 'rejected', change, reason, fix });
const compatible = (change: string, reason: string): EvolutionRule =>
  Object.freeze({ verdict: 'compatible', change, reason, fix: '' });

const newKey =
  'declare a new entity with the new key (with its own literal or table), and move the rows with rowsmith migrate';

/** All rules by name. */
export const evolutionRules = {
  'field-number-reused': rejected(
    'a field number that another field uses or used',
    'bytes of the old field would be read as the new field',
    'give the new field the next number that is neither used nor reserved in the lock',
  ),
  'field-renumbered': rejected(
    'a field with a different number',
    'values stored under the old number would not be found',
    'keep the old number, or leave it out so that the lock provides it',
  ),
  'field-type': rejected(
    "a field's type changed to one that reads different values",
    'stored bytes would be rejected, truncated or read as different values',
    'add a field with a new number, and fill it from the old one in an upgrade function',
  ),
  'field-label': rejected(
    'a repeated or map field made singular, or a map made repeated',
    'all elements but the last would be lost, or bytes would be misread',
    'add a field with a new number',
  ),
  'oneof-joined': rejected(
    'stored fields moved into one oneof',
    'if several of them are stored in one message, all but the last would be dropped',
    'leave the stored fields outside, or move only one of them into a new oneof',
  ),
  'enum-value-removed': rejected(
    'an enum member removed',
    'stored numbers would have no name, and a later member could reuse the number',
    'keep the member and mark it @deprecated',
  ),
  'enum-value-renumbered': rejected(
    'an enum member with a different number',
    'stored numbers would mean a different member',
    'keep its number, and give new members new numbers',
  ),
  'segment-added': rejected(
    'a segment or literal added to a key',
    'old keys lack it, so that old rows would not be read at all',
    newKey,
  ),
  'segment-removed': rejected(
    'a segment or literal removed from a key',
    'old keys have an additional part, so that old rows would not be read at all',
    newKey,
  ),
  'segment-reordered': rejected(
    'the segments of a key reordered',
    'values of old keys would be read into the wrong properties',
    newKey,
  ),
  'segment-encoded': rejected(
    'a segment with a different encoding',
    'old keys would be read as different values, or not at all',
    newKey,
  ),
  'segment-narrowed': rejected(
    "a segment's limit lowered, or a member of its enum removed",
    'old rows beyond the limit would not be read',
    'keep the limit in the key, and check new values with a validation rule',
  ),
  'literal-renamed': rejected('a literal of a key renamed', 'old rows would not be found', newKey),
  'shards-changed': rejected(
    'a shard count or its segments changed',
    'rows would be looked for in the wrong shards',
    newKey,
  ),
  'key-format': rejected(
    'a key format changed',
    'old keys would be read as different values, or not at all',
    newKey,
  ),
  'key-taken': rejected(
    'a key that rows of a removed entity can have',
    'rows of the removed entity would be read as the new entity',
    'start the key with a new literal',
  ),
  'table-changed': rejected(
    'an entity moved to another table',
    'its rows are in the old table',
    'keep the old table, or move the rows with rowsmith migrate',
  ),
  'qualifier-reused': rejected(
    'a column that held a different kind of value',
    'stored cells would be rejected or read as different values',
    'give the new column a different qualifier',
  ),
  'qualifiers-encoded': rejected(
    'a column map with a different encoding of qualifiers',
    'stored entries would be read under different keys, or not at all',
    'declare a new map in a family of its own, and copy the entries into it',
  ),
  'qualifiers-narrowed': rejected(
    "the limit of a column map's qualifiers lowered, or a member of their enum removed",
    'stored entries beyond the limit would not be read',
    'keep the limit, and check new values with a validation rule',
  ),
  'column-moved': rejected(
    'a column moved to another family',
    'stored values stay in the old family and would not be read',
    'keep the family, or move the rows with rowsmith migrate',
  ),
  'column-renamed': rejected(
    'a column with a different qualifier, or that no longer reads an earlier one',
    'values under the old qualifier would not be read',
    "keep the qualifier with { qualifier: 'old' }, or read both with @AlsoReads('old')",
  ),
  'column-version': rejected(
    "the version of a column's values lowered",
    'stored values of the newer version would be rejected',
    'keep every upgrade function',
  ),
  'family-aggregate': rejected(
    'the aggregate of a family changed',
    'the kind of a family is fixed when it is created',
    'declare a family with a different name',
  ),
  'rollup-regrouped': rejected(
    'a rollup that is grouped by other segments',
    'its old rows would be read as new ones, with other values in their keys',
    'give the rollup another name, and rebuild it',
  ),
  'marker-removed': rejected(
    'the marker of an entity removed or moved',
    'rows without other cells would not be found',
    'keep the marker',
  ),

  'field-added': compatible('a new field', 'it is absent in old bytes'),
  'field-removed': compatible(
    'a field removed',
    'stored bytes are kept as unknown fields; the lock reserves its number and name',
  ),
  'field-restored': compatible(
    'a removed field declared again, with the same number, name and type',
    'old values are read again',
  ),
  'field-renamed': compatible(
    'a field renamed, with the same number',
    'bytes contain numbers, not names',
  ),
  'field-widened': compatible(
    "a field's type changed to one that reads the same values",
    'protobuf encodes both types in the same way, and the new type includes every old value',
  ),
  'enum-value-added': compatible(
    'a new enum member',
    'enums are open: older programs keep an unknown number',
  ),
  'enum-value-renamed': compatible(
    'an enum member renamed, with the same number',
    'bytes contain numbers, not names',
  ),
  'message-added': compatible('a new message or enum', 'nothing is stored yet'),
  'entity-added': compatible('a new entity', 'nothing is stored yet'),
  'entity-removed': compatible(
    'an entity removed',
    'its rows stay; the lock keeps its key, so that no other entity reads them',
  ),
  'entity-renamed': compatible(
    'an entity class renamed, with the same table and key',
    'class names are not stored',
  ),
  'segment-renamed': compatible(
    'a segment renamed, at the same position',
    'keys contain values, not names',
  ),
  'segment-widened': compatible(
    "a segment's limit raised, or a member of its enum added",
    'old keys are read as before',
  ),
  'column-added': compatible('a new column', 'it is absent in old rows, or its default'),
  'column-removed': compatible('a column removed', 'its cells stay; the lock keeps their type'),
  'column-restored': compatible(
    'a removed column declared again, with the same kind of value',
    'old values are read again',
  ),
  'column-property': compatible(
    "a column's property renamed, with the same qualifier",
    'only the qualifier is stored',
  ),
  'column-widened': compatible(
    "a column's kind changed to one that reads the same values",
    'both kinds have the same encoding',
  ),
  'qualifiers-widened': compatible(
    "the limit of a column map's qualifiers raised, or a member of their enum added",
    'stored entries are read as before',
  ),
  'column-also-reads': compatible(
    'a column with a different qualifier that also reads the old one',
    'the old value is read until the row is saved',
  ),
  'column-versioned': compatible(
    'a column with values of a newer version',
    'upgrade functions are applied to old values when they are read',
  ),
  'family-added': compatible('a new family', 'nothing is stored yet'),
  'index-added': compatible(
    'a new index',
    'rows that exist have no entries: reads through it are refused until it is rebuilt',
  ),
  'index-changed': compatible(
    'an index with other segments, options, covered properties or expiry',
    'its entries are separate: it is rebuilt, and the old entries are dropped',
  ),
  'index-removed': compatible('an index removed', 'its entries stay until they are dropped'),
  'index-restored': compatible(
    'a removed index declared again',
    'rows that were written meanwhile have no entries: it is rebuilt',
  ),
  'rollup-added': compatible('a new rollup', 'rows that exist are not in it: it is rebuilt'),
  'rollup-changed': compatible(
    'a rollup with another table, width or other values',
    'it has other rows or cells: it is rebuilt, and the old ones stay',
  ),
  'rollup-removed': compatible('a rollup removed', 'its rows stay'),
  'rollup-restored': compatible(
    'a removed rollup declared again',
    'rows that were written meanwhile are not in it: it is rebuilt',
  ),
  'copy-added': compatible(
    'a column that becomes a copy',
    'rows that exist keep what they have, until they are written or repaired',
  ),
  'copy-changed': compatible(
    'a copy of another property, or of another row',
    'rows that exist keep the old copy, until they are written or repaired',
  ),
  'copy-removed': compatible(
    'a copy that becomes a column of its own',
    'its cells stay, and no longer follow the rows that they were copied from',
  ),
} as const satisfies Readonly<Record<string, EvolutionRule>>;

/** The name of a rule. */
export type EvolutionRuleName = keyof typeof evolutionRules;

/** A change of the declarations since the lock. */
export interface EvolutionChange {
  readonly rule: EvolutionRuleName;
  readonly verdict: 'compatible' | 'rejected';
  /**
   * What changed, for `--accept`: `telemetry.Status.3`, `telemetry.Mode.BUSY`,
   * `Reading.key`, `Reading.m:temperature`.
   */
  readonly at: string;
  /** What changed, from what to what. */
  readonly problem: string;
  /** What it means for stored bytes. */
  readonly reason: string;
  /** What to do instead; undefined for compatible changes. */
  readonly fix?: string;
}

/** A change, with the texts of its rule. */
export function changeOf(rule: EvolutionRuleName, at: string, fault: ProblemText): EvolutionChange {
  const { verdict, reason, fix }: EvolutionRule = evolutionRules[rule];
  if (fix === '') return Object.freeze({ rule, verdict, at, problem: fault.problem, reason });
  return Object.freeze({ rule, verdict, at, problem: fault.problem, reason, fix });
}
