/** The lines of vectors.jsonl in generated Python: values-suite.ts. */
import { describeValues } from './values-suite.js';
import { python } from './support/python.js';

describeValues(python);
