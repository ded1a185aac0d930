/** Errors of Rowsmith as answers to HTTP requests. */
import { type ArgumentsHost, Catch, HttpException, Logger } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { RowsmithError } from '../../base/index.js';

/**
 * Answers a request that failed with a `RowsmithError`: the status is `error.httpStatus`, and the
 * body has the code, the message, and the property or the issues of the request. Errors from 500
 * on are logged. Errors outside of HTTP are thrown again.
 * @example { provide: APP_FILTER, useClass: RowsmithFilter }
 */
export class RowsmithFilter extends BaseExceptionFilter {
  readonly #logger = new Logger('Rowsmith');

  /** Called by Nest. */
  override catch(error: RowsmithError, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw error;
    const { code, message, details, httpStatus: statusCode } = error;
    if (statusCode >= 500) this.#logger.error(error.stack);
    const { property, issues } = statusCode < 500 ? details : {};
    super.catch(
      new HttpException({ statusCode, code, message, property, issues }, statusCode),
      host,
    );
  }
}
Catch(RowsmithError)(RowsmithFilter);
