/**
 * Spans and metrics for OpenTelemetry. Names follow OpenTelemetry's semantic conventions for
 * database clients where there is one (db.system.name, db.operation.name, db.collection.name,
 * db.client.operation.duration); all other names begin with `rowsmith.`. docs/guide/observe.md
 * lists them.
 */
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import { errorType } from './log-observer.js';
import type { Observer, ObservedCall, OperationObserver } from './operation.js';
import { rangesText } from './operation-text.js';

type Api = typeof OpenTelemetry;

/** Loads the optional package; MISSING_PACKAGE when it is not installed. */
export async function telemetryObserver(system: string, keys: boolean): Promise<Observer> {
  let api: Api;
  try {
    api = await import('@opentelemetry/api');
  } catch (cause) {
    const problem = 'spans and metrics need @opentelemetry/api, which cannot be loaded';
    throw new RowsmithError(
      'MISSING_PACKAGE',
      { property: 'observe.telemetry', ...faults.missingOpenTelemetry(problem) },
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
        description: 'Duration of a call in the engine.',
      }),
      rows: meter.createCounter('rowsmith.rows', {
        unit: '{row}',
        description: 'Rows read or written.',
      }),
      bytes: meter.createCounter('rowsmith.bytes', {
        unit: 'By',
        description: 'Bytes of keys, qualifiers and values read or written.',
      }),
      retries: meter.createCounter('rowsmith.retries', {
        unit: '{request}',
        description: 'Requests sent again after an error.',
      }),
    };
  }

  begin(operation: ObservedCall): OperationObserver {
    const common = this.#commonAttributes(operation);
    const { context, trace, SpanKind } = this.#api;
    const span = this.#tracer.startSpan(spanName(operation), {
      kind: SpanKind.CLIENT,
      attributes: { ...common, ...this.#readAttributes(operation) },
    });
    const spanContext = trace.setSpan(context.active(), span);
    return {
      runInContext: (work) => context.with(spanContext, work),
      onRetry: (status) => {
        this.#instruments.retries.add(1, { ...common, 'rpc.grpc.status_code': status });
        span.addEvent('rowsmith.retry', { 'rpc.grpc.status_code': status });
      },
      onEnd: (error) => this.#end(operation, common, span, error),
    };
  }

  /**
   * Of spans and metrics alike. Absent ones are left out: metrics would keep an undefined value.
   */
  #commonAttributes({ name, table, entity }: ObservedCall): Attributes {
    const attributes: Attributes = {
      'db.system.name': this.#system,
      'db.operation.name': name,
    };
    if (table !== undefined) attributes['db.collection.name'] = table;
    if (entity !== undefined) attributes['rowsmith.entity'] = entity;
    return attributes;
  }

  #readAttributes({ plan }: ObservedCall): Attributes {
    if (plan === undefined) return {};
    const { ranges, reversed, limit } = plan;
    const attributes: Attributes = {
      'rowsmith.ranges': ranges.length,
      'rowsmith.reversed': reversed,
    };
    if (limit !== undefined) attributes['rowsmith.limit'] = limit;
    if (this.#keys) attributes['rowsmith.key_ranges'] = rangesText(ranges);
    return attributes;
  }

  #end(
    { rows, bytes, attempts, engineMillis }: ObservedCall,
    common: Attributes,
    span: Span,
    error: unknown,
  ): void {
    const failure: Attributes = {};
    if (error !== undefined) {
      failure['error.type'] = errorType(error);
      // Without the error message, which may contain values.
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    }
    span.setAttributes({
      'rowsmith.rows': rows,
      'rowsmith.bytes': bytes,
      'rowsmith.attempts': attempts,
      ...failure,
    });
    span.end();
    this.#instruments.duration.record(engineMillis / 1000, { ...common, ...failure });
    this.#instruments.rows.add(rows, common);
    this.#instruments.bytes.add(bytes, common);
  }
}

function spanName({ name, table }: ObservedCall): string {
  if (table === undefined) return name;
  return `${name} ${table}`;
}

const faults = {
  missingOpenTelemetry: (problem: string) => ({
    problem,
    fix: 'run npm install @opentelemetry/api',
  }),
} satisfies FaultTexts;
