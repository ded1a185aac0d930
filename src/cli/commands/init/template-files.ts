/**
 * The files of a new project, apart from package.json: what they say is compiled and run by the
 * tests.
 */

/** Which decorators the project compiles. */
export type Dialect = 'standard' | 'legacy';

const entity = `import { Column, Entity, Segment, maxAge, maxVersions, rowKey, union } from 'rowsmith';

/** What a sensor measured. A row of the table 'telemetry'. */
@Entity({
  table: 'telemetry',
  // Only the newest version of a value is kept, and nothing longer than a year.
  families: { m: { gc: union(maxVersions(1), maxAge('365d')) } },
})
export class Reading {
  /** The row key is the one index: readings of a site lie together, then those of a sensor, newest first. */
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

    // Six hours of two sensors. Saving again what is there already changes nothing: the key says which row it is.
    const midnight = Date.UTC(2026, 0, 1);
    const rows = ['north', 'south'].flatMap((sensor, s) =>
      Array.from({ length: 6 }, (_, hour) =>
        readings.create({ site: 'roof', sensor, at: new Date(midnight + hour * 3_600_000), temperature: 4 + s + hour / 2, humidity: 80 - hour }),
      ),
    );
    const { written, failed } = await readings.saveMany(rows);
    console.log(\`\${written} rows written, \${failed.length} failed\`);

    // A prefix of the key and a range of the next segment: one range of rows, newest first.
    const morning = readings.prefix({ site: 'roof', sensor: 'north' }).since('at', new Date(midnight + 3 * 3_600_000)).limit(10);
    for await (const { at, temperature, humidity } of morning) console.log(at.toISOString(), temperature, humidity);
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

const config = `import { defineConfig } from 'rowsmith/config';

export default defineConfig({
  entities: ['./src/entities/*.ts'],
  url: 'file:./data',
  output: './generated',
});
`;

function tsconfig(dialect: Dialect): string {
  const options = {
    target: 'ES2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    lib: ['ES2023', 'ESNext.Disposable', 'ESNext.Decorators', 'Decorators'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'dist',
    ...(dialect === 'legacy' ? { experimentalDecorators: true, emitDecoratorMetadata: true } : {}),
  };
  return `${JSON.stringify({ compilerOptions: options, include: ['src', 'rowsmith.config.ts'] }, undefined, 2)}\n`;
}

/** Text by path. */
export function templateFiles(dialect: Dialect): ReadonlyMap<string, string> {
  return new Map([
    ['.gitignore', 'node_modules/\ndist/\ndata/\n'],
    ['tsconfig.json', tsconfig(dialect)],
    ['rowsmith.config.ts', config],
    ['src/entities/reading.ts', entity],
    ['src/main.ts', program],
  ]);
}
