// What the code of an endpoint may say of its operations (`module.exports.openapi`): types for its author. Nothing here runs.

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** A JSON Schema of 2020-12. A `$ref` leads to a part of the same schema. */
type Schema = boolean | { readonly [keyword: string]: unknown };

/** By media type. */
type Content = Record<string, { schema?: Schema; example?: unknown; examples?: Examples }>;

type Examples = Record<string, { summary?: string; description?: string; value?: unknown }>;

/** Of a parameter or a header. Descriptions are CommonMark. */
interface ValueDescription {
  description?: string;
  required?: boolean;
  deprecated?: boolean;
  schema?: Schema;
  example?: unknown;
  examples?: Examples;
}

interface OperationParameter extends ValueDescription {
  name: string;
  /** One of the path is in the route, and required. */
  in: 'query' | 'header' | 'path' | 'cookie';
}

/** One method, as OpenAPI 3.1 describes an operation. What is absent is described as anything. */
export interface OperationDescription {
  /** One line. */
  summary?: string;
  description?: string;
  parameters?: OperationParameter[];
  requestBody?: { description?: string; required?: boolean; content: Content };
  /** By status: `200`, `4XX` or `default`. */
  responses?: Record<
    string | number,
    { description: string; headers?: Record<string, ValueDescription>; content?: Content }
  >;
}
