import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/members.page.css'

await styleSheet(url)
