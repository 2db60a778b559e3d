import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/threads.page.css'

await styleSheet(url)
