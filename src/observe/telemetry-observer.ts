/**
 * Spans and metrics for OpenTelemetry. Names of OpenTelemetry's semantic conventions for database
 * clients where they have one (db.system.name, db.operation.name, db.collection.name,
 * db.client.operation.duration), `rowsmith.` for the rest; docs/guide/observe.md lists them.
 */
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import { RowsmithError } from '../errors.js';
import { wordOf } from './log-observer.js';
import type { Observer, Operation, Witness } from './operation.js';
import { rangesText } from './operation-text.js';

type Api = typeof OpenTelemetry;

/** Loads the optional package; MISSING_PACKAGE when it is not installed. */
export async function telemetryObserver(system: string, keys: boolean): Promise<Observer> {
  let api: Api;
  try {
    api = await import('@opentelemetry/api');
  } catch (cause) {
    const problem = 'spans and metrics go through @opentelemetry/api, which cannot be loaded';
    throw new RowsmithError(
      'MISSING_PACKAGE',
      { property: 'observe.telemetry', problem, fix: 'npm install @opentelemetry/api' },
      { cause },
    );
  }
  return new TelemetryObserver(api, system, keys);
}

class TelemetryObserver implements Observer {
  readonly #api: Api;
  readonly #system: string;
  readonly #keys: boolean;
  readonly #tracer;
  readonly #instruments;

  constructor(api: Api, system: string, keys: boolean) {
    this.#api = api;
    this.#system = system;
    this.#keys = keys;
    this.#tracer = api.trace.getTracer('rowsmith');
    const meter = api.metrics.getMeter('rowsmith');
    this.#instruments = {
      duration: meter.createHistogram('db.client.operation.duration', {
        unit: 's',
        description: 'Time that the engine took for a call.',
      }),
      rows: meter.createCounter('rowsmith.rows', {
        unit: '{row}',
        description: 'Rows handed over or written.',
      }),
      bytes: meter.createCounter('rowsmith.bytes', {
        unit: 'By',
        description: 'Bytes of keys, qualifiers and values handed over or written.',
      }),
      retries: meter.createCounter('rowsmith.retries', {
        unit: '{request}',
        description: 'Requests sent again after a fault.',
      }),
    };
  }

  begin(operation: Operation): Witness {
    const { name, table, entity } = operation;
    const common: Attributes = {
      'db.system.name': this.#system,
      'db.operation.name': name,
      ...(table === undefined ? {} : { 'db.collection.name': table }),
      ...(entity === undefined ? {} : { 'rowsmith.entity': entity }),
    };
    const { context, trace, SpanKind } = this.#api;
    const span = this.#tracer.startSpan(table === undefined ? name : `${name} ${table}`, {
      kind: SpanKind.CLIENT,
      attributes: { ...common, ...this.#question(operation) },
    });
    const inside = trace.setSpan(context.active(), span);
    return {
      within: (work) => context.with(inside, work),
      retried: (status) => {
        this.#instruments.retries.add(1, { ...common, 'rpc.grpc.status_code': status });
        span.addEvent('rowsmith.retry', { 'rpc.grpc.status_code': status });
      },
      end: (error) => this.#end(operation, common, span, error),
    };
  }

  #question({ plan }: Operation): Attributes {
    if (plan === undefined) return {};
    const { ranges, reversed, limit } = plan;
    return {
      'rowsmith.ranges': ranges.length,
      'rowsmith.reversed': reversed,
      ...(limit === undefined ? {} : { 'rowsmith.limit': limit }),
      ...(this.#keys ? { 'rowsmith.key_ranges': rangesText(ranges) } : {}),
    };
  }

  #end(
    { rows, bytes, attempts, engineMillis }: Operation,
    common: Attributes,
    span: Span,
    error: unknown,
  ): void {
    const failed: Attributes = error === undefined ? {} : { 'error.type': wordOf(error) };
    span.setAttributes({
      'rowsmith.rows': rows,
      'rowsmith.bytes': bytes,
      'rowsmith.attempts': attempts,
      ...failed,
    });
    // No message: a message may hold values.
    if (error !== undefined) span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    span.end();
    this.#instruments.duration.record(engineMillis / 1000, { ...common, ...failed });
    this.#instruments.rows.add(rows, common);
    this.#instruments.bytes.add(bytes, common);
  }
}
