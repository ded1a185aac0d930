/**
 * Hides what garbage collection rules collect, but Bigtable has not collected yet, so that a live
 * table has the same rows as an embedded one. Rules become filters, before all other filters; what
 * a filter cannot express is left out of the rows that arrive.
 */
import { copyBytes, equalBytes, RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { type EntityModel, gcRuleText, storedModels, tableSchemas } from '../../../model/index.js';
import {
  type Clock,
  failedRead,
  type Filter,
  type GcRule,
  type RowCursor,
  type RowStream,
  type Stage,
} from '../../../../data/store/index.js';

/**
 * A cell is collected by a term if it has at least `versions` newer cells in its column and is
 * older than `micros`; by a rule if one of its terms collects it.
 */
interface Term {
  readonly versions: number;
  readonly micros: number;
}

function termsOf(rule: GcRule | undefined): readonly Term[] {
  switch (rule?.kind) {
    case 'maxVersions':
      return [{ versions: rule.versions, micros: -Infinity }];
    case 'maxAge':
      return [{ versions: 0, micros: rule.micros }];
    case 'union':
      return rule.rules.flatMap(termsOf);
    case 'intersection':
      // An empty rule never collects, and neither does an intersection with it.
      if (rule.rules.length === 0) return [];
      return rule.rules.map(termsOf).reduce((all, terms) =>
        all.flatMap((a) =>
          terms.map((b) => ({
            versions: Math.max(a.versions, b.versions),
            micros: Math.max(a.micros, b.micros),
          })),
        ),
      );
    default:
      return [];
  }
}

/** Filters cannot express a term of both age and versions without repeating cells. */
function isMixed({ versions, micros }: Term): boolean {
  return versions > 0 && micros > -Infinity;
}

/**
 * What reads hide: cells that any rule collects, or rows only that name the time of their end
 * (`expiresAt`).
 */
export type Hidden = 'all' | 'named';

/** What `explain` needs of a database. */
interface HidingContext {
  readonly hidesExpired?: Hidden | undefined;
  readonly modelsOf: (table: string) => readonly EntityModel[];
}

/** The rules of a table. */
class TableRules {
  readonly #families: readonly (readonly [string, readonly Term[]])[];
  /** By family: the terms that are applied to the rows that arrive. */
  readonly mixed: ReadonlyMap<string, readonly Term[]>;
  readonly #filters = new WeakMap<Filter, { readonly now: number; readonly filter: Filter }>();

  constructor(families: ReadonlyMap<string, { readonly gc?: GcRule }>) {
    this.#families = Array.from(families, ([name, { gc }]) => [name, termsOf(gc)] as const);
    this.mixed = new Map(
      this.#families
        .map(([name, terms]) => [name, terms.filter(isMixed)] as const)
        .filter(([, terms]) => terms.length > 0),
    );
  }

  get hasRules(): boolean {
    return this.#families.some(([, terms]) => terms.length > 0);
  }

  /** The filter on the cells that no rule collects. Reads at the same time share one object. */
  filter(inner: Filter, now: number): Filter {
    const known = this.#filters.get(inner);
    if (known?.now === now) return known.filter;
    const filters = [this.#kept(now), inner];
    const filter = Object.freeze<Filter>({ kind: 'chain', filters });
    this.#filters.set(inner, { now, filter });
    return filter;
  }

  #kept(now: number): Filter {
    const plain = this.#families.filter(([, terms]) => stepsOf(terms, now).length === 0);
    const filters: Filter[] = this.#families.flatMap(([family, terms]): Filter[] => {
      const steps = stepsOf(terms, now);
      if (steps.length === 0) return [];
      return [{ kind: 'chain', filters: [{ kind: 'families', families: [family] }, ...steps] }];
    });
    if (plain.length > 0)
      filters.push({ kind: 'families', families: plain.map(([family]) => family) });
    if (filters.length === 1) return filters[0];
    return { kind: 'interleave', filters };
  }
}

function stepsOf(terms: readonly Term[], now: number): Filter[] {
  const steps: Filter[] = [];
  const counts = terms.filter(({ micros }) => micros === -Infinity);
  if (counts.length > 0)
    steps.push({
      kind: 'cellsPerColumn',
      count: Math.min(...counts.map(({ versions }) => versions)),
    });
  const ages = terms.filter(({ versions }) => versions === 0);
  const start = now - Math.min(...ages.map(({ micros }) => micros));
  if (start > 0 && ages.length > 0)
    // Cells have milliseconds: the first that is not too old.
    steps.push({ kind: 'timestampRange', start: BigInt(Math.ceil(start / 1000) * 1000) });
  return steps;
}

/** What the rules of an entity's table hide from reads, for `explain`; nothing by default. */
export function hiddenText(
  { hidesExpired, modelsOf }: HidingContext,
  { table }: EntityModel,
): readonly string[] {
  if (hidesExpired === undefined) return [];
  const hiding = hidesExpired === 'all' ? undefined : familiesThatEnd(modelsOf(table.name));
  return [...table.families].flatMap(([family, { gc }]) => {
    const isHidden = hiding === undefined || hiding.has(`${table.name}/${family}`);
    if (!isHidden || termsOf(gc).length === 0) return [];
    return [`${family} ${gcRuleText(gc!)}`];
  });
}

const everyCell: Filter = Object.freeze({ kind: 'passAll' });

/** Reads and conditions do not see expired cells. */
export function hideExpired(
  models: readonly EntityModel[],
  clock: Clock,
  hidden: Hidden = 'all',
): Stage {
  const hiding = hidden === 'all' ? undefined : familiesThatEnd(models);
  const tables = new Map(
    tableSchemas(models).map(({ name, families }) => {
      const rules = Array.from(families, ([family, { gc }]) => {
        const isHidden = hiding === undefined || hiding.has(`${name}/${family}`);
        return [family, { gc: isHidden ? gc : undefined }] as const;
      });
      return [name, new TableRules(new Map(rules))] as const;
    }),
  );
  const rulesOf = (table: string): TableRules | undefined => {
    const rules = tables.get(table);
    return rules?.hasRules === true ? rules : undefined;
  };
  const nowMicros = (): number => Math.floor(clock()) * 1000;

  return {
    read(request, send) {
      const { plan } = request;
      const rules = rulesOf(plan.table);
      // The rules name only the declared families: the filter would hide all other families.
      if (rules === undefined || !selectsFamilies(plan.filter)) return send(request);
      const now = nowMicros();
      const filter = rules.filter(plan.filter ?? everyCell, now);
      const filtered = { ...request, plan: { ...plan, filter } };
      if (rules.mixed.size === 0) return send(filtered);
      if (hasTimeRange(plan.filter)) return failedRead(asOfError(plan.table));
      return keptCells(send(filtered), rules.mixed, now);
    },
    write(request, send) {
      if (request.kind !== 'checkAndMutateRow') return send(request);
      const { table, check } = request;
      const rules = rulesOf(table);
      if (rules === undefined) return send(request);
      const predicate = rules.filter(check.predicate ?? everyCell, nowMicros());
      return send({ ...request, check: { ...check, predicate } });
    },
  };
}

/** Whether rows of the database name the time of their end. */
export function hasEnds(models: readonly EntityModel[]): boolean {
  return models.some(({ expiresAt }) => expiresAt !== undefined);
}

/** The families of the rows that name the time of their end, and of their index entries. */
function familiesThatEnd(models: readonly EntityModel[]): ReadonlySet<string> {
  return new Set(models.filter(({ expiresAt }) => expiresAt !== undefined).flatMap(ownFamilies));
}

function ownFamilies(model: EntityModel): readonly string[] {
  const { columns, marker, table } = model;
  const used = new Set(columns.map(({ family }) => family));
  if (marker !== undefined) used.add(marker.family);
  return tableSchemas(storedModels([model])).flatMap(({ name, families }) =>
    [...families.keys()]
      .filter((family) => name !== table.name || used.has(family))
      .map((family) => `${name}/${family}`),
  );
}

/** Whether a filter passes only cells of families that it names. */
function selectsFamilies(filter: Filter | undefined): boolean {
  switch (filter?.kind) {
    case 'families':
    case 'columns':
    case 'columnRange':
      return true;
    case 'chain':
      return filter.filters.some(selectsFamilies);
    case 'interleave':
      return filter.filters.every(selectsFamilies);
    default:
      return false;
  }
}

function hasTimeRange(filter: Filter | undefined): boolean {
  if (filter === undefined) return false;
  if (filter.kind === 'timestampRange') return true;
  if (filter.kind === 'condition') return hasTimeRange(filter.onTrue);
  return 'filters' in filter && filter.filters.some(hasTimeRange);
}

/** How many newer cells a cell has is not known if the newest ones are not read. */
function asOfError(table: string): RowsmithError {
  return new RowsmithError('UNSUPPORTED', {
    table,
    ...faults.asOfWithGc,
  });
}

/** The stream without the cells that mixed terms collect. The newest cell of a column never is. */
function keptCells(
  stream: RowStream,
  mixed: ReadonlyMap<string, readonly Term[]>,
  now: number,
): RowStream {
  return {
    async next() {
      const page = await stream.next();
      return page && new KeptCells(page, mixed, now);
    },
    close: () => stream.close(),
  };
}

class KeptCells implements RowCursor {
  readonly #cursor: RowCursor;
  readonly #mixed: ReadonlyMap<string, readonly Term[]>;
  readonly #now: number;
  #family = '';
  #qualifier: Uint8Array | undefined;
  /** Number of newer cells in the column of the current cell. */
  #newer = 0;

  constructor(cursor: RowCursor, mixed: ReadonlyMap<string, readonly Term[]>, now: number) {
    this.#cursor = cursor;
    this.#mixed = mixed;
    this.#now = now;
  }

  nextRow(): boolean {
    this.#qualifier = undefined;
    return this.#cursor.nextRow();
  }

  nextCell(): boolean {
    while (this.#cursor.nextCell()) {
      const terms = this.#mixed.get(this.#cursor.family);
      if (terms === undefined || !this.#isCollected(terms)) return true;
    }
    return false;
  }

  timestamp(): bigint {
    return this.#cursor.timestamp();
  }

  #isCollected(terms: readonly Term[]): boolean {
    const { family, qualifierBytes, qualifierStart, qualifierEnd } = this.#cursor;
    const qualifier = copyBytes(qualifierBytes, qualifierStart, qualifierEnd);
    const isSame =
      family === this.#family &&
      this.#qualifier !== undefined &&
      equalBytes(qualifier, this.#qualifier);
    this.#newer = isSame ? this.#newer + 1 : 0;
    this.#family = family;
    this.#qualifier = qualifier;
    const age = this.#now - Number(this.#cursor.timestamp());
    return terms.some(({ versions, micros }) => this.#newer >= versions && age > micros);
  }

  get keyBytes(): Uint8Array {
    return this.#cursor.keyBytes;
  }
  get keyStart(): number {
    return this.#cursor.keyStart;
  }
  get keyEnd(): number {
    return this.#cursor.keyEnd;
  }
  get family(): string {
    return this.#cursor.family;
  }
  get qualifierBytes(): Uint8Array {
    return this.#cursor.qualifierBytes;
  }
  get qualifierStart(): number {
    return this.#cursor.qualifierStart;
  }
  get qualifierEnd(): number {
    return this.#cursor.qualifierEnd;
  }
  get valueBytes(): Uint8Array {
    return this.#cursor.valueBytes;
  }
  get valueStart(): number {
    return this.#cursor.valueStart;
  }
  get valueEnd(): number {
    return this.#cursor.valueEnd;
  }
  get labels(): readonly string[] {
    return this.#cursor.labels;
  }
}

const faults = {
  asOfWithGc: {
    problem:
      "asOf() cannot be combined with gc: 'onRead' on a live table if a rule is an intersection of " +
      'maxAge and maxVersions',
    fix: "open the database without gc: 'onRead' to read earlier versions",
  },
} satisfies FaultTexts;
