/** Latencies of one kind of operation, by HdrHistogram. */
import type * as Hdr from 'hdr-histogram-js';

/** Percentiles in milliseconds, with three significant digits. */
export interface Latencies {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Records latencies in microseconds. */
export interface Recorder {
  /** Records `count` operations of this latency; one by default. */
  readonly recordValue: (micros: number, count?: number) => void;
  readonly latencies: () => Latencies;
}

/** An hour: slower operations count as this slow. */
const maxMicros = 3_600e6;

/** Loads the package and returns a function that creates recorders. */
export async function loadRecorders(): Promise<() => Recorder> {
  // In plain JavaScript: its WebAssembly part would be compiled for no gain at this rate.
  const { build } = await import('hdr-histogram-js');
  return () => recorder(build({ numberOfSignificantValueDigits: 3, useWebAssembly: false }));
}

function recorder(histogram: Hdr.Histogram): Recorder {
  const at = (percentile: number): number => histogram.getValueAtPercentile(percentile) / 1000;
  return {
    recordValue: (micros, count = 1) =>
      histogram.recordValueWithCount(Math.min(maxMicros, Math.max(1, Math.round(micros))), count),
    latencies: () => ({
      count: histogram.totalCount,
      mean: histogram.totalCount === 0 ? 0 : histogram.mean / 1000,
      p50: at(50),
      p90: at(90),
      p99: at(99),
      p999: at(99.9),
      max: histogram.totalCount === 0 ? 0 : histogram.maxValue / 1000,
    }),
  };
}
