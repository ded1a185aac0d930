/**
 * Guidance that a declaration cannot violate: the model is not built. Listed beside the rules, so
 * that nobody looks for them in vain.
 */
import { sources } from './rule.js';

/** A rule that the declaration itself enforces, with INVALID_DECLARATION. */
export interface HeldRule {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  readonly source: string;
  readonly fix: string;
}

/** By id. */
export const heldRules: readonly HeldRule[] = [
  {
    id: 'K10',
    title: 'Two entities of a table can have the same keys',
    reason: 'A row would be read as both, and one entity would overwrite the other.',
    source: sources.tables,
    fix: 'Start each key with a different literal.',
  },
  {
    id: 'F04',
    title: 'Versions and an age without union or intersection',
    reason: 'It is unclear whether a cell must violate one limit or both to be deleted.',
    source: sources.collection,
    fix: 'Write union(...) to delete by either, intersection(...) to delete by both.',
  },
  {
    id: 'F06',
    title: 'Aggregates and plain columns in one family',
    reason: 'Cells of an aggregate family can only be added to.',
    source: sources.families,
    fix: 'Give counters a separate family.',
  },
  {
    id: 'F11',
    title: 'A message that protobuf cannot read',
    reason: 'Field numbers identify values in stored bytes, and an unset enum reads as 0.',
    source: 'https://cloud.google.com/bigtable/docs/query-protobuf-data',
    fix:
      'Number each field once; give enums a member 0. `rowsmith check` compares types over ' +
      'time.',
  },
  {
    id: 'F12',
    title: 'A garbage collection rule that Bigtable rejects',
    reason: 'Rules have at most 500 bytes, ages of at least 1 ms, and keep at least one version.',
    source: sources.collection,
    fix: 'Correct the rule; merge nested unions and intersections.',
  },
];
