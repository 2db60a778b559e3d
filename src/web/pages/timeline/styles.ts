import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/timeline.page.css'

await styleSheet(url)
