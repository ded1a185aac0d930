/** What the suites of imports share: an entity, its rows, a database and files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { IsOptional, Max } from 'class-validator';
import {
  Column,
  ColumnMap,
  type Database,
  Entity,
  maxVersions,
  open,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { importRows, type ImportOptions } from '../../../src/tools/transfer/index.js';

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) }, t: {} } })
export class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') @IsOptional() @Max(100) temperature?: number;
  @Column('m', 'int64') count?: bigint;
  @Column('m', 'string') note = 'a default of the class';
  @ColumnMap('t', 'string') tags?: Map<string, string>;
}

export const model = buildModel(Reading);
export const good =
  '{"device":"d","at":"2026-01-01T00:00:00.000Z","temperature":1.5,"count":"9007199254740993","tags":{"a":"b"}}';

/** A database for each test of a file, and a folder for all of them. */
export function importSuite() {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-import-'));
  let db: Database;
  beforeEach(async () => {
    db = await open('memory:', { entities: [Reading] });
  });
  afterEach(() => db.close());
  afterAll(() => rmSync(folder, { recursive: true }));
  return {
    folder,
    database: () => db,
    file(name: string, content: string | Uint8Array): string {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    run: (path: string | Readable, options: Partial<ImportOptions> = {}) =>
      importRows(db.engine, model, path, { format: 'jsonl', ...options }),
    all: () => db.repository(Reading).scanAll().all(),
  };
}
