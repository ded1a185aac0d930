/** What one program asks of its storage, and what is observed and recorded of that. */
import { isPoint, toHex } from '../../src/base/index.js';
import { recordAccess } from '../../src/tools/index.js';
import type { EntityModel } from '../../src/entities/model/index.js';
import type { ObservedCall, Observer } from '../../src/engines/observe/operation.js';
import { ObservingStage } from '../../src/engines/observe/observing-stage.js';
import { isMaintained } from '../../src/entities/derived/index.js';
import type { DatabaseParts } from '../../src/entities/repository/index.js';
import { type Stage, withStages, type WriteRequest } from '../../src/data/store/index.js';

/** One request, as an observer and as storage sees it. */
type Seen = Pick<ObservedCall, 'name' | 'table' | 'keys'>;

export class Witness {
  readonly #recorder;
  readonly #observed: Seen[] = [];
  readonly #sent: Seen[] = [];
  /** Operations on rows, by `recordedAs`. */
  readonly #operations = new Map<string, number>();
  #models: readonly EntityModel[] = [];

  constructor(clock: () => number) {
    this.#recorder = recordAccess({ clock });
  }

  /** The parts of a database that is observed and recorded. */
  watch(parts: DatabaseParts): DatabaseParts {
    this.#models = parts.models;
    const observer: Observer = {
      begin: (operation) => ({ onEnd: () => void this.#observed.push(operation) }),
    };
    return {
      ...parts,
      engine: withStages(parts.engine, [this.#counts()]),
      observation: (entity) => new ObservingStage([observer], entity),
      recorded: this.#recorder.stage(),
    };
  }

  #counts(): Stage {
    return {
      read: (request, send) => {
        const { table, ranges } = request.plan;
        this.#sent.push({ name: 'readRows', table });
        if (ranges.every(isPoint)) this.#add('reads', table, ranges.length);
        return send(request);
      },
      write: (request, send) => {
        const { kind: name, table } = request;
        const keys = keysOf(request);
        this.#sent.push({ name, table, keys });
        if (name !== 'dropRowRange') this.#add('writes', table, keys.length);
        return send(request);
      },
    };
  }

  #add(kind: 'reads' | 'writes', table: string, count: number): void {
    const name = `${kind} ${table}`;
    this.#operations.set(name, (this.#operations.get(name) ?? 0) + count);
  }

  /** Whether a write of the row was observed. */
  hasSeen(table: string, key: Uint8Array): boolean {
    const hex = toHex(key);
    return this.#observed.some((each) => {
      const isDrop = each.name === 'dropRowRange';
      const keys = (each.table === table ? each.keys : undefined) ?? [];
      return keys.some((own) => (isDrop ? hex.startsWith(toHex(own)) : toHex(own) === hex));
    });
  }

  /** What was observed or recorded wrongly of a program without a call under way. */
  problems(): string[] {
    return [...this.#observedProblems(), ...this.#recordedProblems()];
  }

  /** Where a write is one request, each is observed once. */
  #observedProblems(): string[] {
    if (this.#models.some(isMaintained)) return [];
    const [observed, sent] = [this.#observed, this.#sent].map((all) =>
      all.map(textOf).sort().join('; '),
    );
    return observed === sent ? [] : [`observed: ${observed}\n  and sent: ${sent}`];
  }

  /** Rows of scans are recorded as well; how many of them are read is not known here. */
  #recordedProblems(): string[] {
    const recorded = new Map<string, number>();
    for (const { table, windows } of this.#recorder.log().tables)
      for (const kind of ['reads', 'writes'] as const)
        recorded.set(
          `${kind} ${table}`,
          windows.reduce((sum, window) => sum + window[kind], 0),
        );
    return [...this.#operations].flatMap(([name, sent]) => {
      const found = recorded.get(name) ?? 0;
      const isRight = name.startsWith('reads') ? found >= sent : found === sent;
      return isRight ? [] : [`recorded ${found} ${name}, and sent ${sent}`];
    });
  }

  close(): Promise<void> {
    return this.#recorder.close();
  }
}

function keysOf(request: WriteRequest): readonly Uint8Array[] {
  switch (request.kind) {
    case 'mutateRow':
      return [request.row.key];
    case 'mutateRows':
      return request.rows.map(({ key }) => key);
    case 'checkAndMutateRow':
      return [request.check.key];
    case 'readModifyWriteRow':
      return [request.key];
    case 'dropRowRange':
      return request.target.kind === 'prefix' ? [request.target.prefix] : [];
  }
}

function textOf({ name, table, keys = [] }: Seen): string {
  return [name, table, ...keys.map(toHex)].join(' ');
}
