// `GET /api/routes/{route}/decide`: what the server answers.

export interface TestResult {
  readonly condition: string;
  readonly wanted: readonly string[];
  readonly detected: readonly string[];
  readonly matched: boolean;
}

export interface BranchResult {
  readonly recipe: string | null;
  /** By itself: of several the first is taken. */
  readonly matched: boolean;
  readonly tests: readonly TestResult[];
  readonly broken?: true;
}

export interface Decision {
  readonly recipe: string | null;
  readonly detected: {
    readonly device: string;
    readonly language: readonly string[];
    readonly country: string | null;
    readonly network: string | null;
  };
  readonly branches: readonly BranchResult[];
}
