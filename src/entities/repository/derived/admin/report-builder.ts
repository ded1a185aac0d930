/** Adds up the pages of a check, with keys decoded. */
import { printable, type Values } from '../../../../base/index.js';
import {
  type CheckedPage,
  type FindingKind,
  findingKinds,
  type StoredFinding,
} from '../../../derived/index.js';
import type { EntityModel } from '../../../model/index.js';
import { checkCount } from '../../../query/index.js';
import type {
  CheckIndexOptions,
  DerivedFinding,
  DerivedReport,
  FindingCounts,
  RollupFindings,
} from './derived-types.js';
import { type IncompleteRow, requiredPosition } from './check-required.js';
import { addReports } from './rollup-admin.js';
import type { RollupDifference, RollupReport } from './rollup-admin-types.js';

const defaultFindings = 1_000;
/** The report of one run. */
export class ReportBuilder {
  readonly #model: EntityModel;
  readonly #options: CheckIndexOptions;
  readonly #maxFindings: number;
  readonly #counts = Object.fromEntries(findingKinds.map((kind) => [kind, 0])) as Record<
    FindingKind,
    number
  >;
  readonly #findings: DerivedFinding[] = [];
  readonly #differences: RollupDifference[] = [];
  #rollups: RollupReport | undefined;
  /** Rows that were read for required columns; undefined before. */
  #required: number | undefined;
  #incomplete = 0;
  readonly #samples: IncompleteRow[] = [];
  #rows = 0;
  #entries = 0;
  #repaired = 0;

  /** Throws INVALID_ARGUMENT. */
  constructor(model: EntityModel, options: CheckIndexOptions) {
    const { maxFindings = defaultFindings } = options;
    this.#model = model;
    this.#options = options;
    this.#maxFindings = maxFindings === 0 ? 0 : checkCount(model, 'maxFindings', maxFindings);
  }

  /** Rows and entries so far. */
  get looked(): number {
    return this.#rows + this.#entries + (this.#rollups?.rows ?? 0) + (this.#required ?? 0);
  }

  /** Adds a page, and reports it. */
  add({ phase, count, findings, position }: CheckedPage): void {
    if (phase.kind === 'rows') this.#rows += count;
    else this.#entries += count;
    for (const stored of findings) {
      const finding = this.#finding(stored);
      this.#counts[finding.kind]++;
      if (finding.repaired) this.#repaired++;
      if (this.#findings.length < this.#maxFindings) this.#findings.push(finding);
      this.#options.onFinding?.(finding);
    }
    this.#options.onProgress?.({
      phase: phase.kind,
      index: phase.index === undefined ? undefined : this.#model.indexes[phase.index].name,
      rows: this.#rows,
      entries: this.#entries,
      found: this.#found(),
      position,
    });
  }

  /** Adds a row of a rollup that differs. */
  addDifference(difference: RollupDifference): void {
    if (this.#differences.length < this.#maxFindings) this.#differences.push(difference);
    this.#options.onDifference?.(difference);
  }

  /** Reports how far the check of a rollup is. */
  onRollup(name: string, { rows }: RollupReport, position: string): void {
    this.#options.onProgress?.({
      phase: 'rollups',
      rollup: name,
      rows: this.#rows + (this.#rollups?.rows ?? 0) + rows,
      entries: this.#entries,
      found: this.#found(),
      position,
    });
  }

  /** Adds a rollup that was compared. */
  addRollup(report: RollupReport): void {
    this.#rollups = addReports(this.#rollups, report);
  }

  /** Adds a row that lacks required values. */
  addIncomplete(row: IncompleteRow): void {
    this.#incomplete++;
    if (this.#samples.length < this.#maxFindings) this.#samples.push(row);
  }

  /** Reports how many rows the check of required columns has read. */
  onRequired(rows: number): void {
    this.#required = rows;
    this.#options.onProgress?.({
      phase: 'required',
      rows: this.looked - this.#entries,
      entries: this.#entries,
      found: this.#found(),
      position: requiredPosition,
    });
  }

  /** What was found. */
  result(position: string | undefined): DerivedReport {
    return {
      rows: this.#rows,
      entries: this.#entries,
      found: this.#found(),
      repaired: this.#repaired,
      findings: this.#findings,
      rollups: this.#rollupFindings(),
      incomplete: this.#incompleteRows(),
      position,
    };
  }

  #incompleteRows(): DerivedReport['incomplete'] {
    return this.#required === undefined
      ? undefined
      : { rows: this.#incomplete, samples: this.#samples };
  }

  #rollupFindings(): RollupFindings | undefined {
    return this.#rollups && { ...this.#rollups, differences: this.#differences };
  }

  #found(): FindingCounts {
    return { ...this.#counts };
  }

  #finding(stored: StoredFinding): DerivedFinding {
    const { kind, row, property, holder, error, repaired } = stored;
    const index = this.#model.indexes[stored.index];
    const finding = {
      kind,
      index: index.name,
      row: decoded(this.#model, row),
      rowKey: printable(row),
      entry: decoded(index.entry, stored.entry),
      repaired,
    };
    return { ...finding, property, holder: decoded(this.#model, holder), error };
  }
}

function decoded({ key: codec }: EntityModel, key: Uint8Array | undefined): Values | undefined {
  return key && codec.decode(key);
}
