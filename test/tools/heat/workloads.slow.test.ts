/**
 * The figures of 13 synthetic workloads, as means over windows of one minute. Each is compared with
 * the value that was measured for this pattern by hand, within the tolerance of a random sample.
 */
import {
  collectAccess,
  entityTraffic,
  heatFindings,
  KeyNames,
} from '../../../src/tools/heat/index.js';
import { modelOf, type Workload, workloads, writesOf } from './support/workloads.js';

interface Figures {
  /** In percent, except rho. */
  readonly append: number;
  readonly rho: number;
  readonly top: number;
  readonly busiest: number;
  readonly active: number;
}

const sequential: Figures = { append: 100, rho: 1, top: 0, busiest: 100, active: 1.7 };
const uniform: Figures = { append: 0.05, rho: 0, top: 0, busiest: 17.5, active: 63 };

const expected: Readonly<Record<string, { figures: Figures; findings: readonly string[] }>> = {
  'ms#device': { figures: sequential, findings: ['sequentialWrites at'] },
  'reversed ms first': {
    figures: { ...sequential, rho: -1 },
    findings: ['sequentialWrites at'],
  },
  'sequential id': { figures: sequential, findings: ['sequentialWrites id'] },
  'uuid v7 first': { figures: sequential, findings: ['sequentialWrites id'] },
  'ulid first': { figures: sequential, findings: ['sequentialWrites id'] },
  'digit-reversed id': {
    figures: { append: 0.1, rho: 0, top: 0, busiest: 5, active: 100 },
    findings: [],
  },
  'uuid v4': { figures: uniform, findings: [] },
  'hash of the id first': { figures: uniform, findings: [] },
  'device#ms (1000 devices)': { figures: uniform, findings: [] },
  'device#ms (5 devices)': {
    figures: { append: 20, rho: 0.2, top: 0, busiest: 100, active: 2.2 },
    findings: ['writeFronts device'],
  },
  'salt16#ms': {
    figures: { append: 6.3, rho: 0.06, top: 0, busiest: 100, active: 3.2 },
    findings: ['writeFronts at'],
  },
  'zipf user#ms': {
    figures: { append: 0, rho: 0.06, top: 0, busiest: 70.5, active: 24 },
    findings: ['hotRange device'],
  },
  'one hot row + even': {
    figures: { append: 0, rho: 0.01, top: 30, busiest: 44, active: 50 },
    findings: ['hotRow id'],
  },
};

/** Absolute tolerances: percentage points, and rho. */
const tolerance: Figures = { append: 0.7, rho: 0.03, top: 1, busiest: 1, active: 1.5 };

function measure(workload: Workload): { figures: Figures; findings: readonly string[] } {
  const model = modelOf(workload);
  const log = collectAccess(writesOf(workload));
  const [access] = log.tables;
  const [traffic] = entityTraffic(access, new KeyNames(access.table, [model]));
  expect(traffic.judged).toHaveLength(60);
  const mean = (of: (index: number) => number): number =>
    traffic.judged.reduce((sum, _window, index) => sum + of(index), 0) / traffic.judged.length;
  const at = (index: number) => traffic.judged[index].figures;
  const topShare = (index: number): number => {
    const [{ count, error }] = access.windows[index].top;
    return (count - error) / 1000;
  };
  const findings = heatFindings(log, { models: [model], nodes: 30 });
  expect(new Set(findings.map(({ entity }) => entity)).size).toBeLessThanOrEqual(1);
  return {
    figures: {
      append: 100 * mean((index) => at(index).append),
      rho: mean((index) => at(index).rho),
      top: 100 * mean(topShare),
      busiest: 100 * mean((index) => at(index).busiest),
      active: 100 * mean((index) => at(index).active),
    },
    findings: findings.map(({ kind, segment }) => `${kind} ${segment}`),
  };
}

test.each(workloads())('$name', (workload) => {
  const { figures, findings } = measure(workload);
  const wanted = expected[workload.name];
  const faults = (Object.keys(tolerance) as (keyof Figures)[])
    .filter((name) => !(Math.abs(figures[name] - wanted.figures[name]) <= tolerance[name]))
    .map((name) => `${name} is ${figures[name]}, not ${wanted.figures[name]}`);
  expect(faults).toEqual([]);
  expect(findings).toEqual(wanted.findings);
});

test('every workload has figures', () => {
  expect(workloads().map(({ name }) => name)).toEqual(Object.keys(expected));
  expect(workloads()).toHaveLength(13);
});
