/** The lines of vectors.jsonl in generated Python. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildModels } from '../../src/entities/model/index.js';
import type { Answer } from './support/line-process.js';
import { PythonProcess, pythonIsMissing, writePython } from './support/python.js';
import { answeredRow, inPython } from './support/values.js';
import { vectorEntities } from './support/vector-entities.js';
import { readVectors, type Vector, vectorNow } from './support/vectors.js';

type Row = Readonly<Record<string, unknown>>;
type Error = NonNullable<Answer['error']>;

const describePython = pythonIsMissing() ? describe.skip : describe;

describePython('vectors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  let python: PythonProcess;
  beforeAll(async () => {
    const models = buildModels(vectorEntities);
    python = await PythonProcess.start(await writePython(folder, models));
  });
  afterAll(async () => {
    await python.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const vectors = readVectors();
  test.each(['encode', 'parse', 'ranges', 'write', 'read'] as const)('%s', async (op) => {
    const lines = vectors.filter((each) => each.op === op);
    const answers = await python.ask(lines.map(requestOf));
    const found = answers.map((answer, i) => [lines[i], resultOf(lines[i], answer)]);
    expect(found).toEqual(lines.map((line) => [line, expectedOf(line)]));
  });
});

/** Module `ordered_int` of the entity `OrderedInt`. */
function requestOf(vector: Vector): object {
  const { entity, op } = vector;
  const module = entity.replace(/\B[A-Z]/g, '_$&').toLowerCase();
  if (op === 'write')
    return {
      ...vector,
      module,
      class: entity,
      values: { votes: null, ...vector.values },
      now: vectorNow,
      replace: false,
    };
  if (op !== 'read') return { ...vector, module };
  const cells = vector.cells.map(([family, qualifier, value, ms = vectorNow]) => [
    ...[family, qualifier, value, ms * 1000],
  ]);
  // Newest first, as Bigtable gives them.
  return { op, module, key: vector.key, cells: cells.sort((a, b) => Number(b[3]) - Number(a[3])) };
}

function resultOf(vector: Vector, { ok, error }: Answer): unknown {
  if (error !== undefined) return vector.error === undefined ? error : withoutFix(vector, error);
  if (vector.op === 'read') return answeredRow((ok ?? {}) as Row, vector.values ?? {});
  if (vector.op !== 'write') return ok;
  const { mutations } = ok as { mutations: readonly { readonly set_cell: Row }[] };
  return mutations.map(({ set_cell: cell }) => [
    ...[cell.family_name, cell.column_qualifier, cell.value],
    ...(cell.timestamp_micros === vectorNow * 1000 ? [] : [Number(cell.timestamp_micros) / 1000]),
  ]);
}

function expectedOf(vector: Vector): unknown {
  const { error, op } = vector;
  if (error !== undefined)
    return withoutFix(vector, { ...error, problem: inPython(error.problem) });
  if (op === 'encode') return vector.key;
  if (op === 'ranges') return vector.ranges;
  if (op === 'write') return vector.cells;
  return op === 'read' ? answeredRow(vector.values as Row) : vector.values;
}

/** The fix may name a call of the language, and protobuf has its own words for damaged messages. */
function withoutFix({ error: refused }: Vector, { code, property, problem }: Error): object {
  const isMessage = refused!.property?.startsWith('status') === true;
  return isMessage ? { code } : { code, property, problem };
}
