/** A workload for `npm run demo -- --studio`: the departures of the whole world, in ten years. */
import { defineWorkload } from 'rowsmith/config';
import { Departure } from './entities.js';

/** Rates of a busy site: flights are written as they are planned, delayed and flown. */
export const departures = defineWorkload(Departure, {
  name: 'worldwide departures',
  rows: 400e6,
  writesPerSecond: 200,
  readsPerSecond: 2_000,
  segments: {
    // Most flights leave from few airports.
    origin: { distribution: 'zipf', cardinality: 4_000, exponent: 0.9 },
    at: { distribution: 'time' },
    destination: { distribution: 'zipf', cardinality: 4_000, exponent: 0.9 },
    nth: { cardinality: 10 },
  },
  columns: { leg: { bytes: 8 } },
  reads: { newest: 0.9, since: { share: 0.05, span: '1h' }, get: 0.05 },
});
