/** Keys in generated Java: keys-suite.ts. `ENTITIES=50 SEED=new` runs other and more entities. */
import { describeKeys } from './keys-suite.js';
import { java } from './support/java.js';

describeKeys(java);
