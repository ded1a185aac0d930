/** Changed declarations in Go: evolution-suite.ts. */
import { describeEvolution } from './evolution-suite.js';
import { go } from './support/go.js';

describeEvolution(go);
