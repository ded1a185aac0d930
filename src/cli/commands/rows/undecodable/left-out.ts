/**
 * Rows that a read leaves out because no entity decodes their keys, such as rows of an earlier
 * declaration: how many there are, and the command that helps.
 */
import { countText, type KeyRange, type RowsmithError } from '../../../../base/index.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import type { Engine } from '../../../../data/store/index.js';
import type { Terminal } from '../../../terminal/terminal.js';
import { unlessMissing } from '../../../../tools/rows/index.js';
import { keyConditions } from '../input/key-conditions.js';
import type { Term } from '../input/terms.js';
import { type KeyReport, modelsIn, tallyKeys } from './key-tally.js';

/** Keys of a range, and of the whole table, that are read to find such rows. */
const lookedAt = 1_000;

/** Rows of a table that no entity decodes. */
export interface LeftOut {
  readonly table: string;
  readonly rows: number;
  /** There may be more of them: not all keys were read. */
  readonly more: boolean;
  /** The first key. */
  readonly key: string;
  readonly reason: string;
}

/** Its declaration for the JSON of commands. */
export const leftOutShape =
  '{ table: string, rows: number, more: boolean, key: string, reason: string }';

/** What a read was of. */
interface Place {
  readonly model: EntityModel;
  /** Values of the first segments, which narrow where such rows are looked for first. */
  readonly terms?: readonly Term[];
}

/** The place of a read: the entity, with the segments unless they are of an index. */
export function placeOf(
  model: EntityModel,
  { index, terms }: { readonly index?: string | undefined; readonly terms: readonly Term[] },
): Place {
  return index === undefined ? { model, terms } : { model };
}

/** Finds the rows that one read leaves out. */
export class LeftOutRows {
  readonly #models: readonly EntityModel[];
  #passed: LeftOut | undefined;
  #isPartial = false;

  constructor({ models }: { readonly models: readonly EntityModel[] }) {
    this.#models = models;
  }

  /** Counts a row that the read has passed; an option of `openForRows`. */
  readonly onForeignRow = ({ details }: RowsmithError): void => {
    const { rows = 0, ...first } = this.#passed ?? {
      table: String(details.table),
      more: false,
      key: String(details.key),
      reason: details.problem ?? '',
    };
    this.#passed = { ...first, rows: rows + 1 };
  };

  /** Whether such rows were found in the range that was read. */
  get isPartial(): boolean {
    return this.#isPartial;
  }

  /**
   * The rows that the read has passed. If there were none, a look at 1,000 keys of its range, and
   * at 1,000 of its table: keys of an earlier declaration may be in other ranges.
   */
  async find(engine: Engine, { model, terms = [] }: Place): Promise<LeftOut | undefined> {
    const table = model.table.name;
    const models = modelsIn(this.#models, table);
    const look = async (ranges?: readonly KeyRange[]): Promise<LeftOut | undefined> =>
      leftOutOf(
        await unlessMissing(() => tallyKeys(engine, { table, models, sample: lookedAt, ranges })),
      );
    const passed = this.#passed?.table === table ? this.#passed : undefined;
    const near = passed ?? (await look(rangesOf(model, terms)));
    this.#isPartial ||= near !== undefined;
    return near ?? (await look());
  }
}

/** The rows of a report that no entity decodes. */
export function leftOutOf(report: KeyReport | undefined): LeftOut | undefined {
  if (report === undefined || report.undecodable === 0) return undefined;
  const { table, undecodable: rows, sampled: more, reasons } = report;
  const [{ reason, keys }] = reasons;
  return { table, rows, more, key: keys[0], reason };
}

/** The keys with the values of the first segments. */
function rangesOf(model: EntityModel, terms: readonly Term[]): readonly KeyRange[] {
  const { fixed } = keyConditions({ model, name: `the key of ${model.name}` }, terms);
  const values = fixed.map(({ segment, values: [first] }): [string, unknown] => [segment, first]);
  return model.key.ranges({ fixed: Object.fromEntries(values) }).perShard.flat();
}

/** How many rows, with an example. */
export function leftOutProblem({ table, rows, more, key, reason }: LeftOut): string {
  const count = `${more ? 'at least ' : ''}${countText(rows, 'row')}`;
  const why = reason.replace(/\.$/, '');
  return `${count} of table ${table} left out: no entity decodes the key, such as ${key} (${why})`;
}

/** The commands that help. */
export function leftOutFix(entity: string): string {
  return (
    `rowsmith scan ${entity} --undecodable shows them, ` +
    'and rowsmith migrate moves rows of an earlier declaration'
  );
}

/** Both, in one line. */
export function leftOutText(found: LeftOut, entity: string): string {
  return `${leftOutProblem(found)}; ${leftOutFix(entity)}`;
}

/** Says on standard error what was left out. */
export function noteLeftOut(
  terminal: Terminal,
  found: LeftOut | undefined,
  { name }: EntityModel,
): void {
  if (found !== undefined) terminal.note(`rowsmith: ${leftOutText(found, name)}`);
}

/**
 * Says the same at the end of rows, under --json also as a last line with the property
 * `@undecodable`: no entity has a property of this name.
 */
export async function endWithLeftOut(
  terminal: Terminal,
  rows: LeftOutRows,
  engine: Engine,
  place: Place,
): Promise<LeftOut | undefined> {
  const found = await rows.find(engine, place);
  noteLeftOut(terminal, found, place.model);
  if (found !== undefined) terminal.printJson({ '@undecodable': found });
  return found;
}
