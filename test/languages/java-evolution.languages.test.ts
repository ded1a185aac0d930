/** Changed declarations in Java: evolution-suite.ts. */
import { describeEvolution } from './evolution-suite.js';
import { java } from './support/java.js';

describeEvolution(java);
