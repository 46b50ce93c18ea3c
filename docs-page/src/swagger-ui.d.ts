// The part of Swagger UI that the page uses: the package brings no types.
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** A request that Swagger UI is about to make. */
  export interface SwaggerRequest {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  }

  interface System {
    readonly React: {
      createElement(
        type: unknown,
        properties: Readonly<Record<string, unknown>>,
        ...children: unknown[]
      ): unknown;
    };
  }

  type Component = (properties: Readonly<Record<string, unknown>>) => unknown;

  /** Replaces components by name, or wraps them. */
  export type Plugin = (system: System) => {
    readonly components: Readonly<Record<string, Component>>;
    readonly wrapComponents: Readonly<Record<string, (original: Component, system: System) => Component>>;
  };

  interface Options {
    readonly spec: object;
    readonly domNode: Element;
    readonly plugins: readonly Plugin[];
    readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
    readonly docExpansion: 'none' | 'list';
    readonly defaultModelsExpandDepth: number;
    readonly filter: boolean;
    readonly validatorUrl: null;
    readonly deepLinking: boolean;
    readonly tryItOutEnabled: boolean;
    readonly persistAuthorization: boolean;
  }

  const SwaggerUI: (options: Options) => unknown;

  // biome-ignore lint/style/noDefaultExport: it is what the package exports.
  export default SwaggerUI;
}
