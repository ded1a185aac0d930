/** All faults of declarations with their exact texts, because users rely on them. */
import { faultsOf } from './faulty-entities.js';
import { single } from './single-faults.js';

test.each(single)('%s', (_what, make, fault) => {
  expect(faultsOf(make())).toEqual([fault]);
});
