/** Keys in generated Python: support/keys-suite.ts. `ENTITIES=50 SEED=new` runs other and more entities. */
import { describeKeys } from './support/keys-suite.js';
import { python } from './support/python.js';

describeKeys(python);
