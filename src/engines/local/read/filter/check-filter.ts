/** Validates a filter before any row is read. */
import { compareBytes, invalidArgument, type FaultTexts } from '../../../../base/index.js';
import { type Filter, checkInteger, unknownKindError } from '../../../../data/store/index.js';
import { checkedTimestampRange } from '../../arguments.js';
import { familyOf, type TableState } from '../../table/table-state.js';
import { patternText } from './regex.js';
import { plainText } from './regex-syntax.js';

/**
 * Throws INVALID_ARGUMENT for a filter with invalid parameters, and FAMILY_NOT_FOUND for one of a
 * family that the table does not have. Its kinds, types and depth are checked before.
 */
export function checkFilter(filter: Filter, table: TableState): void {
  check(filter, table, false);
}

function check(filter: Filter, table: TableState, inCondition: boolean): void {
  switch (filter.kind) {
    case 'chain':
    case 'interleave':
      if (filter.filters.length === 0)
        throw invalidArgument('filter', faults.missingFilters(filter.kind));
      for (const inner of filter.filters) check(inner, table, inCondition);
      // A cell has at most one label (data.proto, apply_label_transformer).
      if (filter.kind === 'chain' && filter.filters.filter(appliesLabel).length > 1) {
        throw invalidArgument('filter', faults.twoLabels);
      }
      return;
    case 'condition':
      if (filter.onTrue === undefined && filter.onFalse === undefined)
        throw invalidArgument('filter', faults.missingBranch);
      for (const inner of [filter.predicate, filter.onTrue, filter.onFalse])
        if (inner !== undefined) check(inner, table, true);
      return;
    case 'sink':
      if (inCondition) throw invalidArgument('filter', faults.nestedSink);
      return;
    default:
      checkLeaf(filter, table);
  }
}

function checkLeaf(
  filter: Exclude<Filter, { kind: 'chain' | 'interleave' | 'condition' | 'sink' }>,
  table: TableState,
): void {
  switch (filter.kind) {
    case 'families':
      return filter.families.forEach((family) => void familyOf(table, family));
    case 'columns':
      return filter.columns.forEach(({ family }) => void familyOf(table, family));
    case 'cellsPerColumn':
    case 'cellsPerRow':
      return checkInteger(filter.count, 'filter.count');
    case 'cellsPerRowOffset':
      return checkInteger(filter.count, 'filter.count', 0);
    case 'rowSample':
      if (!(filter.probability > 0 && filter.probability < 1)) {
        throw invalidArgument('filter.probability', faults.probabilityOutOfRange, {
          value: filter.probability,
        });
      }
      return;
    case 'timestampRange': {
      const { start, end } = checkedTimestampRange(filter.start, filter.end, table.granularity);
      if (end !== undefined && start > end)
        throw invalidArgument('filter', faults.invertedTimestampRange);
      return;
    }
    case 'columnRange':
      if (filter.family === '') throw invalidArgument('filter', faults.missingFamily);
      familyOf(table, filter.family);
      return checkOrder(filter.start?.qualifier, filter.end?.qualifier);
    case 'valueRange':
      return checkOrder(filter.start?.value, filter.end?.value);
    case 'rowKeyRegex':
      if (filter.pattern.length === 0) throw invalidArgument('filter', faults.emptyPattern);
      return;
    case 'familyRegex':
      return checkFamilyPattern(filter.pattern, table);
    case 'label':
      if (!/^[a-z0-9-]{1,15}$/.test(filter.label))
        throw invalidArgument('filter.label', faults.notALabel, { value: filter.label });
      return;
    case 'qualifierRegex':
    case 'valueRegex':
    case 'valueBitmask':
    case 'valueEquals':
    case 'stripValue':
    case 'passAll':
    case 'blockAll':
      return;
    default:
      throw unknownKindError('filter', filter);
  }
}

/** The bounds may be equal. */
function checkOrder(start: Uint8Array | undefined, end: Uint8Array | undefined): void {
  if (start !== undefined && end !== undefined && compareBytes(start, end) > 0)
    throw invalidArgument('filter', faults.invertedRange);
}

function checkFamilyPattern(pattern: string, table: TableState): void {
  if (pattern.includes(':'))
    throw invalidArgument('filter.pattern', faults.familyWithColon, { value: pattern });
  const name = plainText(patternText(pattern));
  if (name !== undefined && name !== '') familyOf(table, name);
}

function appliesLabel(filter: Filter): boolean {
  switch (filter.kind) {
    case 'label':
      return true;
    case 'chain':
    case 'interleave':
      return filter.filters.some(appliesLabel);
    case 'condition':
      return [filter.onTrue, filter.onFalse].some(
        (inner) => inner !== undefined && appliesLabel(inner),
      );
    default:
      return false;
  }
}

const faults = {
  missingFilters: (kind: string) => ({
    problem: `${kind} needs filters`,
    fix: 'give at least one; passAll matches all cells, blockAll none',
  }),
  twoLabels: {
    problem: 'two filters of a chain apply labels',
    fix: 'apply one label; each filter of an interleave may apply one',
  },
  missingBranch: { problem: 'a condition needs a branch', fix: 'give onTrue, onFalse or both' },
  nestedSink: {
    problem: 'sink cannot be nested in a condition filter',
    fix: 'move it out of the condition',
  },
  probabilityOutOfRange: {
    problem: 'must be greater than 0 and less than 1',
    fix: 'use passAll for every row, or blockAll for none',
  },
  invertedTimestampRange: {
    problem: 'the range of timestamps is inverted',
    fix: 'give start before end; without an end it is open',
  },
  missingFamily: { problem: 'columnRange needs a family', fix: 'name the family' },
  emptyPattern: {
    problem: 'no row key is empty, so an empty pattern matches none',
    fix: 'leave the filter out, or use blockAll',
  },
  notALabel: {
    problem: 'must be 1 to 15 characters of [a-z0-9-]',
    fix: 'use lower case letters, digits and hyphens',
  },
  invertedRange: { problem: 'the range is inverted', fix: 'give start before end' },
  familyWithColon: {
    problem: "the pattern of a family must not contain ':'",
    fix: 'match the qualifier with a qualifierRegex',
  },
} satisfies FaultTexts;
