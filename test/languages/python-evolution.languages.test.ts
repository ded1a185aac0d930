/** Changed declarations in Python: evolution-suite.ts. */
import { describeEvolution } from './evolution-suite.js';
import { python } from './support/python.js';

describeEvolution(python);
