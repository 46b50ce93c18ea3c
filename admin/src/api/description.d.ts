// What the server answers. Made of the API description by `npm run docs`: change that instead.
// Components with the hash 9b2ecb839583b25d340a521c0608a831b8295ef254fd6d12c1b08ece8730f187.
import type { Json, JsonObject } from './json.ts';

export interface components {
    schemas: {
        readonly ActionDecision: {
            /**
             * @description `some`: with documents that match a rule
             * @enum
             */
            readonly allowed: "yes" | "no" | "some";
            /** @description Which rule or permission decides, in words */
            readonly because: string;
        };
        readonly AuditEntry: {
            /** @example specification.create */
            readonly action: string;
            readonly address?: string;
            /** @description SHA-256 of the state after; null: there is none */
            readonly after: string | null;
            /** @description Epoch milliseconds */
            readonly at: number;
            /** @description SHA-256 of the state before; null: there was none */
            readonly before: string | null;
            /** @description Null: the operator, or the server */
            readonly clientId: string | null;
            /** @description HMAC-SHA256 of all other members */
            readonly hash: string;
            /** @description Id of the signing key */
            readonly key: string;
            readonly policy?: {
                readonly after: string | null;
                readonly before: string | null;
            };
            /** @description Hash of the entry before */
            readonly previous: string;
            readonly requestId?: string;
            /** @description From 1, without gaps */
            readonly seq: number;
            /** @description A path, or the id of a client */
            readonly target: string;
        };
        readonly AuditIssue: {
            readonly entry?: components["schemas"]["AuditEntry"];
            /** @enum */
            readonly kind: "changed" | "missing" | "moved" | "replaced" | "truncated" | "noted";
            readonly seq: number;
            readonly to?: number;
        };
        readonly AuditPage: {
            readonly audit: readonly components["schemas"]["AuditEntry"][];
        };
        readonly AuditVerification: {
            /** @description Valid entries */
            readonly count: number;
            readonly first?: {
                /** @description Epoch milliseconds */
                readonly at: number;
                readonly seq: number;
            };
            /** @description The number of entries is known from outside of the database */
            readonly isAnchored: boolean;
            /** @description False: there are more entries to verify */
            readonly isComplete: boolean;
            readonly issue?: components["schemas"]["AuditIssue"];
            /** @description Ids of the keys that signed them */
            readonly keys: readonly string[];
            readonly last?: {
                /** @description Epoch milliseconds */
                readonly at: number;
                readonly seq: number;
            };
            readonly unknownKey?: {
                readonly id: string;
                readonly seq: number;
            };
        };
        readonly BranchDecision: {
            /**
             * @description Something is wrong with the branch, so that it never matches
             * @constant
             */
            readonly broken?: true;
            /** @description By itself: of several the first is taken */
            readonly matched: boolean;
            readonly recipe: string | null;
            readonly tests: readonly components["schemas"]["ConditionTest"][];
        };
        readonly Client: {
            /**
             * @description Admins may do everything
             * @enum
             */
            readonly accessType: "admin" | "user";
            readonly clientId: string;
            /** @description What the client may do at most; absent: everything that the rules allow */
            readonly permissions?: components["schemas"]["Permissions"];
            /**
             * @description May approve code. Only commands on the machine give this right
             * @constant
             */
            readonly reviewer?: true;
            /** @description Names to which rules of collections are addressed */
            readonly roles?: readonly string[];
            /** @description Only in the answer to the request that generated it */
            readonly secret?: string;
        };
        readonly ClientAccess: {
            readonly actions: {
                readonly create: components["schemas"]["ActionDecision"];
                readonly delete: components["schemas"]["ActionDecision"];
                readonly history: components["schemas"]["ActionDecision"];
                readonly read: components["schemas"]["ActionDecision"];
                readonly update: components["schemas"]["ActionDecision"];
            };
            readonly clientId: string;
            /** @description Fields that the client may not write */
            readonly closed: readonly string[];
            /** @description Its id, where one was asked about */
            readonly document?: string;
            /** @description Fields that the client may not read */
            readonly hidden: readonly string[];
            /** @description Events with hooks, whose code may still refuse or hide something */
            readonly hooks: readonly string[];
            /** @description Of the collection */
            readonly path: string;
            /**
             * @description Of the document: `absent` where there never was one, or nothing is left of it
             * @enum
             */
            readonly state?: "present" | "removed" | "absent";
        };
        /** @description What is absent stays as it is */
        readonly ClientChange: {
            /**
             * @description Admins may do everything
             * @enum
             */
            readonly accessType?: "admin" | "user";
            /** @description What the client may do at most; null: everything that the rules allow */
            readonly permissions?: components["schemas"]["Permissions"] | null;
            /** @description Names to which rules of collections are addressed */
            readonly roles?: readonly string[];
        };
        readonly Clients: {
            readonly results: readonly components["schemas"]["Client"][];
        };
        readonly CollectionDescription: {
            /** @description What the caller may do with some of the documents at least */
            readonly actions: readonly ("read" | "create" | "update" | "delete" | "history")[];
            /** @description Fields that the caller may not write */
            readonly closed: readonly string[];
            /** @description As in the specification, without `access` and without fields that the caller may not read */
            readonly fields: {
                readonly [key: string]: components["schemas"]["FieldDescription"];
            };
            /** @description It takes files */
            readonly isMedia: boolean;
            /** @description `settings.displayName`, else the name */
            readonly name: string;
            /** @description `/{version}/{database}/{collection}` */
            readonly path: string;
            /** @description As they are in force */
            readonly settings: {
                readonly compose: boolean;
                readonly count: number;
                readonly signUploads: boolean;
                readonly sort: string | null;
                /** @enum */
                readonly sortOrder: 1 | -1;
                readonly storeRevisions: boolean;
            };
        };
        readonly CollectionList: {
            readonly collections: readonly components["schemas"]["ListedCollection"][];
        };
        readonly CollectionRights: {
            /** @description What the caller may do with some of the documents at least */
            readonly actions: readonly ("read" | "create" | "update" | "delete" | "history")[];
            /**
             * @description It takes files
             * @constant
             */
            readonly isMedia?: true;
            /** @description `/{version}/{database}/{collection}` */
            readonly path: string;
        };
        readonly ConditionTest: {
            /** @description The member of the condition */
            readonly condition: string;
            /** @description What the values are compared with; empty: nothing is known */
            readonly detected: readonly string[];
            readonly matched: boolean;
            readonly wanted: readonly string[];
        };
        readonly Decision: {
            readonly branches: readonly components["schemas"]["BranchDecision"][];
            readonly detected: {
                readonly country: string | null;
                readonly device: string;
                readonly language: readonly string[];
                readonly network: string | null;
            };
            /** @description Null: no branch matches */
            readonly recipe: string | null;
            readonly route: string;
        };
        readonly DefinitionError: {
            readonly details?: readonly string[];
            /** @description Where a token is missing or invalid */
            readonly Error?: string;
            readonly errors: readonly (string | {
                readonly error: string;
            })[];
            /** @constant */
            readonly success: false;
        };
        readonly document_count: {
            readonly metadata: {
                readonly limit: number;
                readonly totalCount: number;
                readonly totalPages: number;
            };
        };
        readonly document_stats: {
            /** @description Bytes of one document on average. */
            readonly averageObjectSize: number;
            /** @description Documents. */
            readonly count: number;
            /** @description Number of indexes. */
            readonly indexes: number;
            /** @description Bytes of each index by its name. */
            readonly indexSizes: {
                readonly [key: string]: number;
            };
            /** @description Bytes of all documents. */
            readonly size: number;
            /** @description Bytes that the documents take in the store. */
            readonly storageSize: number;
            /** @description Bytes of all indexes. */
            readonly totalIndexSize: number;
        };
        readonly Done: {
            readonly message: string;
            /** @constant */
            readonly result: "success";
        };
        readonly Endpoints: {
            readonly endpoints: readonly components["schemas"]["ListedEndpoint"][];
            readonly policyLimits?: components["schemas"]["PolicyLimits"];
        };
        /** @description The envelope of every error. Texts in `errors`: routes and recipes */
        readonly Error: {
            readonly errors?: readonly (components["schemas"]["ErrorItem"] | string | JsonObject)[];
            readonly statusCode?: number;
            /** @constant */
            readonly success: false;
        };
        /** @description What is wrong. `title` and `details` are for clients of older servers */
        readonly ErrorItem: {
            /** @description See docs/errors.md */
            readonly code?: string;
            readonly details?: string;
            /** @description The field or parameter that is wrong */
            readonly field?: string;
            readonly hookName?: string;
            /** @description Position of the document in a list of several */
            readonly index?: number;
            readonly message?: string;
            readonly title?: string;
        };
        /** @description A field of a specification, without `access` */
        readonly FieldDescription: {
            readonly comments?: Json;
            readonly default?: Json;
            readonly display?: Json;
            readonly example?: Json;
            readonly label?: Json;
            readonly matchType?: Json;
            readonly message?: Json;
            readonly placement?: Json;
            readonly required?: Json;
            readonly settings?: Json;
            readonly type?: string;
            readonly validation?: Json;
        };
        /** @description One or more files. Fields before a file are fields of its record */
        readonly File: {
            readonly file?: string;
        };
        readonly Hooks: {
            readonly hooks: readonly components["schemas"]["ListedHook"][];
            readonly policyLimits: components["schemas"]["PolicyLimits"];
        };
        readonly ListedCollection: {
            readonly database: string;
            /** @description For admins, while indexes of the collection do not serve: this server builds them, waits with that for its next start as the database went away, or could not build them, as its log says */
            readonly indexes?: {
                /** @description Epoch milliseconds */
                readonly since: number;
                /** @enum */
                readonly state: "building" | "waiting" | "failed";
            };
            /** @description Epoch milliseconds */
            readonly lastModifiedAt?: number;
            /** @description `settings.displayName`, else the name */
            readonly name: string;
            readonly path: string;
            /** @description The name in paths */
            readonly slug: string;
            /**
             * @description Of collections that take files
             * @enum
             */
            readonly type?: "media" | "mediaCollection";
            readonly version: string;
        };
        readonly ListedEndpoint: {
            /** @description Epoch milliseconds */
            readonly lastModifiedAt: number;
            readonly methods: readonly string[];
            readonly name: string;
            readonly path: string;
            readonly pending?: readonly components["schemas"]["PendingVersion"][];
            readonly slug: string;
            readonly state: components["schemas"]["ModuleState"];
            readonly suspension?: components["schemas"]["Suspension"];
            readonly version: string;
        };
        readonly ListedHook: {
            /** @description Epoch milliseconds */
            readonly lastModifiedAt: number;
            readonly name: string;
            readonly path: string;
            readonly pending: readonly components["schemas"]["PendingVersion"][];
            readonly state: components["schemas"]["ModuleState"];
            readonly suspension?: components["schemas"]["Suspension"];
        };
        readonly LogRecord: {
            /** @description Epoch milliseconds */
            readonly at: number;
            readonly level?: string;
            readonly message: string;
            readonly requestId: string;
            /** @description Counts up from record to record */
            readonly seq: number;
            readonly stack?: string;
            readonly version: number;
        };
        readonly Me: {
            /** @enum */
            readonly accessType: "admin" | "user";
            readonly clientId: string;
            readonly collections: readonly components["schemas"]["CollectionRights"][];
            /** @description Of a user of an identity provider: the name of that */
            readonly issuer?: string;
            readonly permissions?: components["schemas"]["Permissions"];
            /** @constant */
            readonly reviewer?: true;
            readonly roles?: readonly string[];
        };
        readonly ModuleLogs: {
            readonly logs: readonly components["schemas"]["LogRecord"][];
        };
        /** @enum */
        readonly ModuleState: "active" | "suspended" | "broken" | "pending";
        readonly ModuleUsage: {
            readonly buckets: readonly {
                /** @description When the minute begins */
                readonly at: number;
                readonly calls: number;
                /** @description Milliseconds of processor time */
                readonly cpuMs: number;
                readonly errors: number;
            }[];
            readonly calls: number;
            /** @description Milliseconds of processor time */
            readonly cpuMs: number;
            readonly errors: number;
            /** @description Epoch milliseconds */
            readonly from: number;
            /** @description Megabytes; null: it was not looked at */
            readonly maxHeapMb: number | null;
            /** @description Epoch milliseconds */
            readonly to: number;
        };
        readonly ModuleVersion: {
            readonly active: boolean;
            readonly clientId: string | null;
            /** @description Epoch milliseconds */
            readonly createdAt: number;
            /**
             * @description What is new in it: a policy comes with the code that it was put for
             * @enum
             */
            readonly part: "code" | "policy";
            readonly refused?: components["schemas"]["Refusal"];
            /** @description Of its code */
            readonly sha256: string;
            readonly version: number;
        };
        readonly ModuleVersions: {
            readonly versions: readonly components["schemas"]["ModuleVersion"][];
        };
        readonly NewClient: {
            /**
             * @description Admins may do everything
             * @enum
             */
            readonly accessType?: "admin" | "user";
            readonly clientId: string;
            /** @description What the client may do at most; null: everything that the rules allow */
            readonly permissions?: components["schemas"]["Permissions"] | null;
            /** @description Names to which rules of collections are addressed */
            readonly roles?: readonly string[];
            readonly secret?: string;
        };
        readonly NewRefusal: {
            /** @description For the author */
            readonly reason: string;
        };
        readonly page_metadata: {
            /** @description The fields that are shown (1) or left out (0). */
            readonly fields?: {
                readonly [key: string]: 0 | 1;
            };
            /** @description The filter of the revisions that are included. */
            readonly historyFilters?: JsonObject;
            /** @description Documents on one page at the most. Absent after writes. */
            readonly limit?: number;
            /** @description Absent on the last page. */
            readonly nextPage?: number;
            /** @description Documents before the first one of the page. */
            readonly offset: number;
            /** @description Number of the page. */
            readonly page: number;
            /** @description Absent on the first page. */
            readonly prevPage?: number;
            /** @description The sort keys: 1 ascending, -1 descending. */
            readonly sort?: {
                readonly [key: string]: 1 | -1;
            };
            /** @description Documents on all pages. */
            readonly totalCount: number;
            /** @description Number of pages. */
            readonly totalPages: number;
        };
        /** @description A version that waits for a reviewer */
        readonly PendingVersion: {
            /** @description Epoch milliseconds */
            readonly at: number;
            /** @description Who posted it */
            readonly by: string | null;
            /**
             * @description What is new in it
             * @enum
             */
            readonly part: "code" | "policy";
            readonly version: number;
        };
        readonly Permissions: {
            readonly actions?: readonly ("read" | "create" | "update" | "delete" | "history")[];
            readonly collections?: readonly {
                readonly actions?: readonly ("read" | "create" | "update" | "delete" | "history")[];
                /** @description Absent: every version */
                readonly apiVersion?: string;
                readonly database?: string;
                /** @description Name of a collection, or of an endpoint */
                readonly path: string;
            }[];
            readonly endpoints?: readonly {
                /** @description Absent: every version */
                readonly apiVersion?: string;
                /** @description Name of a collection, or of an endpoint */
                readonly path: string;
            }[];
        };
        /** @description What the code may use, and is granted: see docs/endpoints.md */
        readonly Policy: {
            readonly grants?: {
                readonly bcrypt?: {
                    readonly maxRounds?: number;
                };
                readonly collections?: readonly {
                    readonly actions: readonly ("find" | "count" | "create" | "update" | "delete" | "stats")[];
                    /** Format: actor */
                    readonly as?: string;
                    readonly maxResults?: number;
                    /** Format: collection */
                    readonly name: string;
                }[];
                readonly config?: JsonObject;
                readonly fetch?: readonly {
                    readonly headers?: {
                        readonly [key: string]: string;
                    };
                    readonly maxBytes?: number;
                    readonly methods?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
                    /** Format: origin */
                    readonly origin: string;
                    readonly paths?: readonly string[];
                    readonly timeoutMs?: number;
                }[];
                readonly request?: {
                    readonly headers?: readonly string[];
                    readonly maxBodyBytes?: number;
                };
                readonly response?: {
                    readonly headers?: readonly string[];
                };
            };
            /** @enum {string} */
            readonly isolation?: "realm" | "context" | "isolate";
            readonly limits?: {
                readonly concurrency?: number;
                readonly cpuMs?: number;
                readonly heapMb?: number;
                readonly hostCalls?: number;
                readonly logBytes?: number;
                readonly perMinute?: number;
                readonly responseBytes?: number;
                readonly wallMs?: number;
            };
            /** Format: trust-domain */
            readonly trustDomain?: string;
            /** @enum {integer} */
            readonly version?: 1;
        };
        readonly PolicyCode: {
            /** @description ISO 8601 */
            readonly approvedAt?: string;
            /** @example client:rita */
            readonly approvedBy?: string;
            /** @description Versions that wait for approval */
            readonly pending?: readonly number[];
            /** @description Of the active version */
            readonly sha256?: string;
        };
        /** @description What any policy may ask for at most, as the operator says */
        readonly PolicyLimits: {
            readonly grants: {
                readonly bcrypt: {
                    /** @description 0: no policy has it */
                    readonly maxRounds: number;
                };
                readonly collections: readonly {
                    readonly actions: readonly string[];
                    readonly as: string;
                    readonly maxResults: number;
                    readonly name: string;
                }[];
                readonly fetch: readonly {
                    /** @description Null: a value that is not the name of a secret */
                    readonly headers?: {
                        readonly [key: string]: string | null;
                    };
                    readonly maxBytes: number;
                    readonly methods: readonly string[];
                    readonly origin: string;
                    readonly paths: readonly string[];
                    readonly timeoutMs: number;
                }[];
                readonly request: {
                    readonly headers: readonly string[];
                    readonly maxBodyBytes: number;
                };
                readonly response: {
                    readonly headers: readonly string[];
                };
            };
            readonly limits: {
                readonly concurrency: number;
                readonly cpuMs: number;
                readonly heapMb: number;
                readonly hostCalls: number;
                readonly logBytes: number;
                /** @description 0: no bound */
                readonly perMinute: number;
                readonly responseBytes: number;
                readonly wallMs: number;
            };
        };
        readonly PostedCode: {
            readonly message: string;
            /** @constant */
            readonly result: "success";
            /** @enum */
            readonly suggestedIsolation?: "realm" | "context" | "isolate";
            readonly version: number;
            readonly warnings: readonly string[];
        };
        /** @description A filter, as the parameter `filter` of a list takes it */
        readonly Query: JsonObject;
        /** @description How an image is made: see docs/recipes.md */
        readonly Recipe: {
            readonly path?: string;
            readonly recipe: string;
            readonly settings?: JsonObject;
        };
        readonly Recipes: {
            readonly recipes: readonly components["schemas"]["Recipe"][];
        };
        /** @description By a reviewer: the version never becomes active */
        readonly Refusal: {
            /** @description Epoch milliseconds */
            readonly at: number;
            readonly by: string;
            readonly reason: string;
        };
        readonly Removal: {
            readonly deleted: number;
            readonly deletedCount: number;
            readonly message: string;
            /** @constant */
            readonly status: "success";
            /** @description Documents that are left */
            readonly totalCount: number;
        };
        readonly RemovedDocument: {
            /** @description The last state, without fields that the caller may not read */
            readonly document: JsonObject;
            /** @description Of the document, which it gets back */
            readonly id: string;
            /** @description Milliseconds since 1970 */
            readonly removedAt: number;
            /** @description Client id; null: removed by nobody that has one */
            readonly removedBy: string | null;
            /** @description Id of the revision that keeps its last state */
            readonly revision: string;
        };
        /** @description Branches with conditions, the first that matches counts: see docs/delivery.md */
        readonly Route: {
            readonly branches: readonly JsonObject[];
            readonly route: string;
        };
        readonly Routes: {
            readonly routes: readonly components["schemas"]["Route"][];
        };
        readonly SandboxStatus: {
            readonly hosts: {
                /** @description Of these, with invocations */
                readonly busy: number;
                /** @description Processes at the most */
                readonly max: number;
                /** @description Processes that run */
                readonly running: number;
                /** @description Of these, with no code yet */
                readonly spare: number;
            };
            /** @description Of `sandbox.jitDomains`, where there are any */
            readonly jit?: {
                /** @description Isolation level that the self-test has proven, 1 to 3; 0 before it has run */
                readonly level: number;
                readonly selfTest: components["schemas"]["SelfTest"];
            };
            /** @description Isolation level that the self-test has proven, 1 to 3; 0 before it has run */
            readonly level: number;
            /** @description What the next level needs, in words */
            readonly missing: readonly string[];
            readonly processes: readonly {
                /** @description With the just-in-time compiler */
                readonly jit: boolean;
                /** @description Resident bytes; null: not known */
                readonly memory: number | null;
                /**
                 * @description `spare`: has run nothing yet
                 * @enum
                 */
                readonly state: "starting" | "spare" | "idle" | "busy";
                /** @description Seconds since it was started */
                readonly uptime: number;
            }[];
            readonly selfTest: components["schemas"]["SelfTest"];
        };
        readonly Saved: {
            readonly message?: string;
            /** @constant */
            readonly success: true;
        };
        readonly SelfTest: {
            readonly items: readonly components["schemas"]["SelfTestItem"][];
            /** @enum */
            readonly state: "not-run" | "running" | "passed" | "failed";
        };
        readonly SelfTestItem: {
            /** @example read a file */
            readonly attempt: string;
            readonly detail: string;
            /** @description The isolation held */
            readonly held: boolean;
        };
        readonly SignedUpload: {
            /** @description Epoch milliseconds */
            readonly expiresAt: number;
            /** @description Path to which the file is sent. It is a credential */
            readonly url: string;
        };
        readonly SignRequest: {
            /** @description The media collection, where there are several */
            readonly collection?: string;
            readonly database?: string;
            /**
             * @description A duration, or seconds
             * @example 10m
             */
            readonly expiresIn?: string | number;
            readonly fileName: string;
            /** @example image/jpeg */
            readonly mimetype?: string | null;
            readonly version?: string;
        };
        readonly Specification: {
            /** @description Fields by name */
            readonly fields: {
                readonly [key: string]: JsonObject;
            };
            readonly settings?: JsonObject;
        };
        readonly SpecificationChange: {
            readonly message?: string;
            /** @constant */
            readonly result: "success";
            readonly warnings: readonly string[];
        };
        readonly Status: {
            readonly audit?: {
                /** @description Null: not told in time */
                readonly entries: number | null;
                /** @description Epoch milliseconds; null: there is none */
                readonly newestAt: number | null;
                /** @description Entries about failed changes that could not be written yet */
                readonly unwritten: number;
            };
            readonly caches?: {
                readonly renderedImages: {
                    /** @description Null: nothing is counted (`metrics.enabled`) */
                    readonly lookups: {
                        /** @description Since the start */
                        readonly hits: number;
                        /** @description Since the start */
                        readonly misses: number;
                    } | null;
                };
                readonly responses: {
                    /** @description Null: responses are not cached */
                    readonly engine: string | null;
                    readonly isReachable: boolean;
                    /** @description Null: nothing is counted (`metrics.enabled`) */
                    readonly lookups: {
                        /** @description Since the start */
                        readonly hits: number;
                        /** @description Since the start */
                        readonly misses: number;
                    } | null;
                };
            };
            /** @description Files that were never closed */
            readonly leakedFiles?: number;
            readonly memory: {
                /** @description Bytes */
                readonly heapTotal: number;
                /** @description Bytes */
                readonly heapUsed: number;
                /** @description Bytes */
                readonly rss: number;
            };
            readonly process: {
                readonly pid: number;
                /** @description Seconds */
                readonly uptime: number;
                readonly uptimeFormatted: string;
                readonly versions: {
                    readonly node: string;
                    readonly v8: string;
                };
            };
            /** @description The processes on the same database, the one that answers first */
            readonly processes?: readonly {
                /** @description Where it listens for the content API */
                readonly address: string;
                /** @description Number of the newest change of the deployment that it has in force */
                readonly changes: number;
                readonly host: string;
                readonly id: string;
                /** @description It is the one that answers */
                readonly isSelf: boolean;
                /** @description Epoch milliseconds, by its own clock */
                readonly lastSeen: number;
                readonly pid: number;
                /** @description Epoch milliseconds of its start */
                readonly since: number;
                readonly version: string;
            }[];
            readonly queues?: {
                /** @description Of endpoints and hooks */
                readonly calls: {
                    /** @description How many are under way */
                    readonly running: number;
                    /** @description How many wait */
                    readonly waiting: number;
                };
                /** @description Writes to the database; null: none waits in this process */
                readonly commits: {
                    /** @description How many may wait */
                    readonly maxWaiting: number;
                    /** @description How many wait */
                    readonly waiting: number;
                } | null;
                readonly renderings: {
                    /** @description How many may be under way */
                    readonly maxRunning: number;
                    /** @description How many may wait */
                    readonly maxWaiting: number;
                    /** @description How many are under way */
                    readonly running: number;
                    /** @description How many wait */
                    readonly waiting: number;
                };
            };
            readonly routes: readonly Json[];
            /** @description For admins */
            readonly sandbox?: components["schemas"]["SandboxStatus"];
            readonly service: {
                readonly package: string;
                readonly site: string;
                readonly versions: {
                    readonly current: string;
                    readonly latest: null;
                };
            };
            readonly store?: {
                /** @description What the database takes; null: not told in time */
                readonly bytes: number | null;
                readonly engine: string;
                readonly isReachable: boolean;
                /** @description Milliseconds until it answered */
                readonly pingMs: number | null;
            };
            readonly system: {
                readonly hostname: string;
                readonly load: readonly number[];
                readonly memory: {
                    /** @description Bytes */
                    readonly free: number;
                    /** @description Bytes */
                    readonly total: number;
                };
                readonly platform: string;
                readonly release: string;
                /** @description Seconds */
                readonly uptime: number;
                readonly uptimeFormatted: string;
            };
            /** @description Parts of answers that clients have not read yet */
            readonly unsentBytes?: {
                /** @description Bytes */
                readonly max: number;
                /** @description Bytes */
                readonly used: number;
            };
            readonly uploads?: {
                /** @description Bytes */
                readonly bytes: number;
                /** @description Bytes */
                readonly maxBytes: number;
                /** @description How many may be under way */
                readonly maxRunning: number;
                /** @description How many are under way */
                readonly running: number;
            };
        };
        /** @description The policy as it was put, with the state of the code as `code` */
        readonly StoredPolicy: {
            readonly code?: components["schemas"]["PolicyCode"];
            readonly grants?: {
                readonly bcrypt?: {
                    readonly maxRounds?: number;
                };
                readonly collections?: readonly {
                    readonly actions: readonly ("find" | "count" | "create" | "update" | "delete" | "stats")[];
                    /** Format: actor */
                    readonly as?: string;
                    readonly maxResults?: number;
                    /** Format: collection */
                    readonly name: string;
                }[];
                readonly config?: JsonObject;
                readonly fetch?: readonly {
                    readonly headers?: {
                        readonly [key: string]: string;
                    };
                    readonly maxBytes?: number;
                    readonly methods?: readonly ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
                    /** Format: origin */
                    readonly origin: string;
                    readonly paths?: readonly string[];
                    readonly timeoutMs?: number;
                }[];
                readonly request?: {
                    readonly headers?: readonly string[];
                    readonly maxBodyBytes?: number;
                };
                readonly response?: {
                    readonly headers?: readonly string[];
                };
            };
            /** @enum {string} */
            readonly isolation?: "realm" | "context" | "isolate";
            readonly limits?: {
                readonly concurrency?: number;
                readonly cpuMs?: number;
                readonly heapMb?: number;
                readonly hostCalls?: number;
                readonly logBytes?: number;
                readonly perMinute?: number;
                readonly responseBytes?: number;
                readonly wallMs?: number;
            };
            /** Format: trust-domain */
            readonly trustDomain?: string;
            /** @enum {integer} */
            readonly version: 1;
        };
        readonly Suspension: {
            /** @description Epoch milliseconds */
            readonly at: number | null;
            /** @enum */
            readonly by: "admin" | "breaker" | "operator";
            readonly clientId: string | null;
        };
        readonly Token: {
            readonly accessToken: string;
            /** @description Seconds */
            readonly expiresIn: number;
            /** @constant */
            readonly tokenType: "Bearer";
        };
    };
}
export type ActionDecision = components['schemas']['ActionDecision'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditIssue = components['schemas']['AuditIssue'];
export type AuditPage = components['schemas']['AuditPage'];
export type AuditVerification = components['schemas']['AuditVerification'];
export type BranchDecision = components['schemas']['BranchDecision'];
export type Client = components['schemas']['Client'];
export type ClientAccess = components['schemas']['ClientAccess'];
export type ClientChange = components['schemas']['ClientChange'];
export type Clients = components['schemas']['Clients'];
export type CollectionDescription = components['schemas']['CollectionDescription'];
export type CollectionList = components['schemas']['CollectionList'];
export type CollectionRights = components['schemas']['CollectionRights'];
export type ConditionTest = components['schemas']['ConditionTest'];
export type Decision = components['schemas']['Decision'];
export type DefinitionError = components['schemas']['DefinitionError'];
export type DocumentCount = components['schemas']['document_count'];
export type DocumentStats = components['schemas']['document_stats'];
export type Done = components['schemas']['Done'];
export type Endpoints = components['schemas']['Endpoints'];
export type Error = components['schemas']['Error'];
export type ErrorItem = components['schemas']['ErrorItem'];
export type FieldDescription = components['schemas']['FieldDescription'];
export type File = components['schemas']['File'];
export type Hooks = components['schemas']['Hooks'];
export type ListedCollection = components['schemas']['ListedCollection'];
export type ListedEndpoint = components['schemas']['ListedEndpoint'];
export type ListedHook = components['schemas']['ListedHook'];
export type LogRecord = components['schemas']['LogRecord'];
export type Me = components['schemas']['Me'];
export type ModuleLogs = components['schemas']['ModuleLogs'];
export type ModuleState = components['schemas']['ModuleState'];
export type ModuleUsage = components['schemas']['ModuleUsage'];
export type ModuleVersion = components['schemas']['ModuleVersion'];
export type ModuleVersions = components['schemas']['ModuleVersions'];
export type NewClient = components['schemas']['NewClient'];
export type NewRefusal = components['schemas']['NewRefusal'];
export type PageMetadata = components['schemas']['page_metadata'];
export type PendingVersion = components['schemas']['PendingVersion'];
export type Permissions = components['schemas']['Permissions'];
export type Policy = components['schemas']['Policy'];
export type PolicyCode = components['schemas']['PolicyCode'];
export type PolicyLimits = components['schemas']['PolicyLimits'];
export type PostedCode = components['schemas']['PostedCode'];
export type Query = components['schemas']['Query'];
export type Recipe = components['schemas']['Recipe'];
export type Recipes = components['schemas']['Recipes'];
export type Refusal = components['schemas']['Refusal'];
export type Removal = components['schemas']['Removal'];
export type RemovedDocument = components['schemas']['RemovedDocument'];
export type Route = components['schemas']['Route'];
export type Routes = components['schemas']['Routes'];
export type SandboxStatus = components['schemas']['SandboxStatus'];
export type Saved = components['schemas']['Saved'];
export type SelfTest = components['schemas']['SelfTest'];
export type SelfTestItem = components['schemas']['SelfTestItem'];
export type SignedUpload = components['schemas']['SignedUpload'];
export type SignRequest = components['schemas']['SignRequest'];
export type Specification = components['schemas']['Specification'];
export type SpecificationChange = components['schemas']['SpecificationChange'];
export type Status = components['schemas']['Status'];
export type StoredPolicy = components['schemas']['StoredPolicy'];
export type Suspension = components['schemas']['Suspension'];
export type Token = components['schemas']['Token'];
