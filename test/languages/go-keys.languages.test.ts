/** Keys in generated Go: keys-suite.ts. `ENTITIES=50 SEED=new` runs other and more entities. */
import { describeKeys } from './keys-suite.js';
import { go } from './support/go.js';

describeKeys(go);
