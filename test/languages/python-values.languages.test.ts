/** The lines of vectors.jsonl in generated Python: support/values-suite.ts. */
import { describeValues } from './support/values-suite.js';
import { python } from './support/python.js';

describeValues(python);
