/**
 * Observers are notified of every call, what it cost and how it ended. Row keys are reported only
 * on request.
 */
import { context, metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { open, type ObserveOptions, type Repository } from '../../../src/index.js';
import { reportRetry } from '../../../src/engines/observe/index.js';
import type { Observer } from '../../../src/engines/observe/operation.js';
import { ObservingStage } from '../../../src/engines/observe/observing-stage.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { LocalEngine } from '../../../src/engines/local/local-engine.js';
import { startServer } from '../../../src/server/index.js';
import { type Engine, withStages } from '../../../src/data/store/index.js';
import { startFaultServer } from '../../support/fault-server.js';
import { expectGolden } from '../../support/golden.js';
import { Reading } from '../../entities/repository/support/entities.js';

const rowsOf = (readings: Repository<typeof Reading>, count: number) =>
  Array.from({ length: count }, (_, n) =>
    readings.create({ tenant: 'acme', device: 'secret-device', n, value: n }),
  );

async function withDatabase(
  observe: ObserveOptions,
  work: (readings: Repository<typeof Reading>) => Promise<void>,
): Promise<void> {
  await using db = await open('memory:', { entities: [Reading], observe });
  await work(db.repository(Reading));
}

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
/** Durations differ from run to run. */
const withoutDurations = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(/\d+\.\d ms/, 'T ms'));

test('a line for each call', async () => {
  const lines: string[] = [];
  await withDatabase({ log: (line) => lines.push(line) }, async (readings) => {
    await readings.saveMany(rowsOf(readings, 3));
    await readings.get({ tenant: 'acme', device: 'secret-device', n: 1 });
    await readings.prefix({ tenant: 'acme' }).reverse().limit(2).all();
    await expect(readings.insert(rowsOf(readings, 1)[0])).rejects.toThrow();
    for await (const row of readings.prefix({ tenant: 'acme' })) if (row.n === 1) break;
  });
  expectGolden('observe-lines.txt', text(withoutDurations(lines)));
  expect(lines.join('\n')).not.toContain('secret-device');
});

test('lines contain row keys on request', async () => {
  const lines: string[] = [];
  await withDatabase({ log: (line) => lines.push(line), keys: true }, async (readings) => {
    await readings.save(rowsOf(readings, 1)[0]);
    await readings.prefix({ tenant: 'acme' }).all();
  });
  expectGolden('observe-lines-with-keys.txt', text(withoutDurations(lines)));
});

test('a slow scan emits a process warning', async () => {
  // Jest gives tests a separate process object, on which `warning` events do not arrive.
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  try {
    await withDatabase({ slowScanMs: Number.MIN_VALUE }, async (readings) => {
      await readings.prefix({ tenant: 'acme' }).all();
    });
    expect(
      emitWarning.mock.calls.map(([line, options]) => [
        ...withoutDurations([String(line)]),
        options,
      ]),
    ).toEqual([
      [
        'slow scan: readRows Reading in readings: 1 range, filter chain -> 0 rows, 0 bytes, T ms',
        { type: 'RowsmithWarning', code: 'ROWSMITH_SLOW_SCAN' },
      ],
    ]);
  } finally {
    emitWarning.mockRestore();
  }
});

describe('OpenTelemetry', () => {
  const spans = new InMemorySpanExporter();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const metering = new MeterProvider({ readers: [reader] });

  beforeAll(() => {
    trace.setGlobalTracerProvider(tracing);
    metrics.setGlobalMeterProvider(metering);
  });
  afterAll(async () => {
    trace.disable();
    metrics.disable();
    context.disable();
    await metering.shutdown();
  });

  test('spans and metrics with the documented names', async () => {
    await withDatabase({ telemetry: true }, async (readings) => {
      await readings.saveMany(rowsOf(readings, 3));
      await readings.prefix({ tenant: 'acme' }).limit(2).all();
      await expect(readings.insert(rowsOf(readings, 1)[0])).rejects.toThrow();
    });
    const seen = spans
      .getFinishedSpans()
      .filter(({ attributes }) => attributes['rowsmith.entity'] !== undefined);
    expectGolden(
      'observe-spans.txt',
      seen
        .map(({ name, attributes, status }) =>
          text([
            `${name} (status ${status.code})`,
            ...Object.entries(attributes).map(([key, value]) => `  ${key} = ${String(value)}`),
          ]),
        )
        .join(''),
    );
    expect(JSON.stringify(seen.map(({ attributes }) => attributes))).not.toContain('secret-device');

    await reader.forceFlush();
    const reported = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    expect(
      reported.map(({ descriptor }) => `${descriptor.name} ${descriptor.unit}`).sort(),
    ).toEqual(['db.client.operation.duration s', 'rowsmith.bytes By', 'rowsmith.rows {row}']);
    const rows = reported
      .find(({ descriptor }) => descriptor.name === 'rowsmith.rows')!
      .dataPoints.map(({ attributes, value }) => [attributes['db.operation.name'], value]);
    expect(rows).toEqual(
      expect.arrayContaining([
        ['mutateRows', 3],
        ['readRows', 2],
      ]),
    );
  });
});

test('retries are counted for the call that they belong to', async () => {
  const lines: string[] = [];
  const flaky = {
    async mutateRow() {
      reportRetry(14);
      await new Promise((resolve) => setImmediate(resolve));
      reportRetry(14);
    },
  } as unknown as Engine;
  const statuses: number[] = [];
  const observer: Observer = {
    begin: (operation) => ({
      onRetry: (status) => statuses.push(status),
      onEnd: () => lines.push(`${operation.attempts} attempts`),
    }),
  };
  const engine = withStages(flaky, [new ObservingStage([observer])]);
  await Promise.all([
    engine.mutateRow('t', { key: Uint8Array.of(1), mutations: [] }),
    engine.mutateRow('t', { key: Uint8Array.of(2), mutations: [] }),
  ]);
  expect(lines).toEqual(['3 attempts', '3 attempts']);
  expect(statuses).toEqual([14, 14, 14, 14]);
  // Outside a call there is no observer to notify.
  expect(() => reportRetry(14)).not.toThrow();
});

test('on a live table, retries are counted for the operation that needed them', async () => {
  const backing = await openMemoryEngine();
  const server = await startServer(backing, { instance: 'projects/p/instances/i' });
  // The first attempt of each data method fails.
  const failed = new Set<string>();
  const faulty = await startFaultServer(server.address, ({ method }) => {
    if (failed.has(method) || !method.startsWith('/google.bigtable.v2.')) return undefined;
    failed.add(method);
    return { code: 14 };
  });
  const lines: string[] = [];
  const db = await open('bigtable://p/i', {
    entities: [Reading],
    bigtable: { emulatorHost: faulty.address },
    observe: { log: (line) => lines.push(line) },
  });
  try {
    await db.admin.apply();
    const readings = db.repository(Reading);
    await readings.save(rowsOf(readings, 1)[0]);
    await readings.saveMany(rowsOf(readings, 3));
    await readings.get({ tenant: 'acme', device: 'secret-device', n: 1 });
    await readings.prefix({ tenant: 'acme' }).all();
  } finally {
    await db.close();
    await faulty.close();
    await server.close({ graceMs: 200 });
    await backing.close();
  }
  expect(withoutDurations(lines).filter((line) => line.includes('Reading'))).toEqual([
    'mutateRow Reading in readings -> 1 row, 52 bytes, T ms, 2 attempts',
    'mutateRows Reading in readings -> 3 rows, 156 bytes, T ms, 2 attempts',
    'readRows Reading in readings: 1 range -> 1 row, 38 bytes, T ms, 2 attempts',
    'readRows Reading in readings: 1 range -> 3 rows, 127 bytes, T ms',
  ]);
});

test('without observers the engine is not wrapped', async () => {
  await using db = await open('memory:', { entities: [Reading] });
  expect(db.engine).toBeInstanceOf(LocalEngine);
});

test.each([
  [true, 'observe'],
  [{ log: 'yes' }, 'observe.log'],
  [{ slowScanMs: -1 }, 'observe.slowScanMs'],
  [{ telemetry: 1 }, 'observe.telemetry'],
  [{ keys: 'all' }, 'observe.keys'],
])('wrong options are rejected: %j', async (observe, property) => {
  await expect(
    open('memory:', { entities: [Reading], observe: observe as never }),
  ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { property } });
});
