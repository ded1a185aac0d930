/**
 * `npm run bench -- bench/lint.ts`: what lint adds to `open` in development. `build` compiles the
 * declarations of 20 entities, which every `open` does; `lint` applies all rules to them. `first` is
 * the first run in a process, with the code of the rules not yet compiled.
 */
import {
  columnMap,
  column,
  counter,
  defineEntity,
  maxVersions,
  rowKey,
  aggregate,
} from '../src/index.js';
import { lintModels } from '../src/tools/lint/index.js';
import { buildModels } from '../src/entities/model/index.js';
import { interleave, timingOf } from './interleave.js';
import { benchOptions, Results } from './results.js';

const options = benchOptions(process.argv.slice(2), 20);
const results = new Results(options);

/** New classes, because models are built once for each class. */
function entities(): (new () => object)[] {
  return Array.from({ length: options.rows }, (_, i) =>
    defineEntity(
      class Entity {
        tenant = '';
        device = '';
        at = new Date(0);
      },
      {
        name: `Entity${i}`,
        table: `table${String.fromCharCode(97 + (i % 26))}`,
        families: { m: { gc: maxVersions(1) }, h: { gc: maxVersions(9) }, c: aggregate('sum') },
        key: rowKey('tenant', 'device', 'at'),
        segments: { tenant: 'string', device: 'string', at: 'timestamp' },
        columns: {
          ...Object.fromEntries(
            Array.from({ length: 8 }, (_unused, n) => [`v${n}`, column('m', 'double')]),
          ),
          map: columnMap('h', 'string'),
          hits: counter('c'),
        } as never,
      },
    ),
  );
}

const models = buildModels(entities());
const started = performance.now();
const { findings } = lintModels(models);
const first = (performance.now() - started) * 1_000;
const timings = await interleave(
  [
    { name: 'build', run: () => buildModels(entities()).length },
    { name: 'lint', run: () => lintModels(models).findings.length && models.length },
  ],
  40,
  5,
);
const [[baseName, base], [name, timing]] = timings;
results.addTiming(`lint.${baseName}`, base, 'us/entity');
results.addTiming(`lint.${name}`, timing, 'us/entity', { with: base, of: baseName });
results.addTiming('lint.first', timingOf([first / models.length]), 'us/entity');
process.exit(results.finish({ entities: models.length, findings: findings.length }));
