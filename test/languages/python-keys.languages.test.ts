/** Keys in generated Python: keys-suite.ts. `ENTITIES=50 SEED=new` runs other and more entities. */
import { describeKeys } from './keys-suite.js';
import { python } from './support/python.js';

describeKeys(python);
