/** The files of a new project, apart from package.json. The tests compile and run them. */

/** The decorators that the tsconfig enables. */
export type DecoratorKind = 'standard' | 'legacy';

const entity = `import {
  Column,
  Entity,
  Segment,
  maxAge,
  maxVersions,
  rowKey,
  union,
} from 'rowsmith';

/** A measurement of a sensor: one row of the table 'telemetry'. */
@Entity({
  table: 'telemetry',
  // Keeps only the newest version of a value, and for at most a year.
  families: { m: { gc: union(maxVersions(1), maxAge('365d')) } },
})
export class Reading {
  /** Rows are sorted by their key: readings by site, then by sensor, newest first. */
  static readonly key = rowKey('site', 'sensor', 'at');

  @Segment('string', { maxLength: 40 }) site!: string;
  @Segment('string', { maxLength: 40 }) sensor!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;

  @Column('m', 'double') temperature?: number;
  @Column('m', 'double') humidity?: number;
}
`;

const program = `import { open } from 'rowsmith';
import { Reading } from './entities/reading.js';

async function main(): Promise<void> {
  const db = await open('file:./data', { entities: [Reading] });
  try {
    const readings = db.repository(Reading);

    // Six hourly readings of two sensors. Saving the same rows again changes nothing, because the
    // key identifies the row.
    const midnight = Date.UTC(2026, 0, 1);
    const hourMs = 3_600_000;
    const rows = ['north', 'south'].flatMap((sensor, s) =>
      Array.from({ length: 6 }, (_, hour) =>
        readings.create({
          site: 'roof',
          sensor,
          at: new Date(midnight + hour * hourMs),
          temperature: 4 + s + hour / 2,
          humidity: 80 - hour,
        }),
      ),
    );
    const { written, failed } = await readings.saveMany(rows);
    console.log(\`\${written} rows written, \${failed} failed\`);

    // A prefix of the key and a range of the next segment are one range of rows, newest first.
    const morning = readings
      .prefix({ site: 'roof', sensor: 'north' })
      .since('at', new Date(midnight + 3 * hourMs))
      .limit(10);
    for await (const { at, temperature, humidity } of morning)
      console.log(at.toISOString(), temperature, humidity);
    console.log(String(morning.explain()));
  } finally {
    await db.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
`;

const test = `import { testDatabase } from 'rowsmith/testing';
import { expect, test } from 'vitest';
import { Reading } from './entities/reading.js';

test('the latest reading of a sensor comes first', async () => {
  const db = await testDatabase([Reading]);
  try {
    const hourly = [3, 9, 6].map((hour) => ({
      site: 'roof',
      sensor: 'north',
      at: new Date(Date.UTC(2026, 0, 1, hour)),
      temperature: hour,
    }));
    await db.seed(Reading, hourly);
    const readings = db.repository(Reading);
    const latest = await readings.prefix({ site: 'roof', sensor: 'north' }).first();
    expect(latest?.temperature).toBe(9);
  } finally {
    await db.close();
  }
});
`;

const config = `import { defineConfig } from 'rowsmith/config';

export default defineConfig({
  entities: ['./src/entities/*.ts'],
  url: 'file:./data',
  output: './generated',
});
`;

function tsconfig(decorators: DecoratorKind): string {
  const options: Record<string, unknown> = {
    target: 'ES2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    lib: ['ES2023', 'ESNext.Disposable', 'ESNext.Decorators', 'Decorators'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'dist',
  };
  if (decorators === 'legacy') {
    options.experimentalDecorators = true;
    options.emitDecoratorMetadata = true;
  }
  const json = { compilerOptions: options, include: ['src', 'rowsmith.config.ts'] };
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

/** The program, and the test of a project with Vitest. */
export const programPath = 'src/main.ts';
export const testPath = 'src/reading.test.ts';

/** The text of each file by its path. */
export function templateFiles(
  decorators: DecoratorKind,
  withTest: boolean,
): ReadonlyMap<string, string> {
  const files = new Map([
    ['.gitignore', 'node_modules/\ndist/\ndata/\n'],
    ['tsconfig.json', tsconfig(decorators)],
    ['rowsmith.config.ts', config],
    ['src/entities/reading.ts', entity],
    [programPath, program],
  ]);
  if (withTest) files.set(testPath, test);
  return files;
}
