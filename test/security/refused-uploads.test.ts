// Uploads to a folder that are refused.
import { refusedUploadContract } from '../contracts/refused-uploads.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { diskMedia } from '../stores/disk-media/workbench.ts';

refusedUploadContract(async () => diskMedia(await temporaryFolder()));
