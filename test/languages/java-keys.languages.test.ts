/** Keys in generated Java: support/keys-suite.ts. `ENTITIES=50 SEED=new` runs other and more entities. */
import { describeKeys } from './support/keys-suite.js';
import { java } from './support/java.js';

describeKeys(java);
