/** The text of checks and builds of derived rows. */
import { countText } from '../../../base/index.js';
import {
  type DerivedFinding,
  type DerivedReport,
  differencesOf,
  findingsOf,
  type IndexInfo,
  type RollupDifference,
  type RollupFindings,
} from '../../../entities/repository/index.js';
import type { Terminal } from '../../terminal/terminal.js';

/** An index in the list. */
export function indexText(
  { id, entity, index, table, state }: IndexInfo,
  { style }: Terminal,
): string {
  const padded = state.padEnd(10);
  const mark = state === 'ready' ? style.good(padded) : style.bad(padded);
  const name = index === undefined ? `${entity}, no longer declared` : `${entity}.${index}`;
  return `${mark}  ${name}  ${style.dim(`${id} in ${table}`)}`;
}

/** Prints the findings of a check, and their number. */
export function printReport(terminal: Terminal, name: string, report: DerivedReport): void {
  for (const finding of report.findings) terminal.print(findingText(finding, terminal));
  const total = findingsOf(report);
  const kinds = Object.entries(report.found)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  const looked = `${countText(report.rows, 'row')}, ${entriesText(report.entries)}`;
  let outcome = 'no fault';
  if (total > 0) outcome = `${kinds.join(', ')}; ${report.repaired} of ${total} repaired`;
  terminal.print(`${name}: ${looked}: ${outcome}`);
  if (report.rollups !== undefined) printRollups(terminal, name, report.rollups);
  if (report.incomplete !== undefined) printIncomplete(terminal, name, report.incomplete);
}

function printIncomplete(
  terminal: Terminal,
  name: string,
  { rows, samples }: NonNullable<DerivedReport['incomplete']>,
): void {
  const mark = terminal.style.bad('incomplete');
  for (const { rowKey, missing } of samples)
    terminal.print(`${mark}  ${rowKey}  has no ${missing.join(', ')}`);
  if (rows === 0) {
    terminal.print(`${name}, required columns: no row is incomplete`);
    return;
  }
  const entity = name.replace(/\..*/u, '');
  terminal.print(
    `${name}, required columns: ${countText(rows, 'row')} incomplete: ` +
      `complete them with rowsmith patch ${entity} KEY, or delete them`,
  );
}

function printRollups(terminal: Terminal, name: string, found: RollupFindings): void {
  for (const each of found.differences) terminal.print(differenceText(each, terminal));
  const { rows, compared, repaired, busy, expired, countsSince } = found;
  const total = differencesOf(found);
  const kinds = (['missing', 'wrong', 'orphan'] as const)
    .filter((kind) => found[kind] > 0)
    .map((kind) => `${found[kind]} ${kind}`);
  const looked = `${countText(rows, 'row')}, ${countText(compared, 'bucket')}`;
  let outcome = 'no fault';
  if (total > 0) outcome = `${kinds.join(', ')}; ${repaired} of ${total} repaired`;
  if (busy > 0) outcome += `; ${busy} were being written`;
  if (expired > 0) outcome += `; not compared before ${countsSince!.toISOString()}: ${expired}`;
  terminal.print(`${name}, rollups: ${looked}: ${outcome}`);
}

/** `1 entry`. */
export function entriesText(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function differenceText(
  { kind, name, key, repaired }: RollupDifference,
  { style }: Terminal,
): string {
  const padded = kind.padEnd(9);
  const parts = [repaired ? style.good(padded) : style.bad(padded), name, JSON.stringify(key)];
  if (repaired) parts.push('repaired');
  return parts.join('  ');
}

function findingText(
  { kind, index, property, rowKey, holder, error, repaired }: DerivedFinding,
  { style }: Terminal,
): string {
  const padded = kind.padEnd(9);
  const parts = [repaired ? style.good(padded) : style.bad(padded), property ?? index, rowKey];
  if (holder !== undefined) parts.push(`has the value of ${JSON.stringify(holder)}`);
  if (error?.details.problem !== undefined) parts.push(error.details.problem);
  if (repaired) parts.push('repaired');
  return parts.join('  ');
}
