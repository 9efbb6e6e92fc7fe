* memplan: ilp-joint
* offsets and sizes in units of 1 byte
* a_0 = a/0
* a_0.2 = a 0
NAME memplan
ROWS
 N cost
 G r0.load
 G r1.load
 G r2.load
 G r3.load
 G r4.load
 G r5.load
 G r6.load
 G r7.end
 G r8.end
 G r9.end
 G r10.end
 G r11.end
 G r12.end
 G r13.end
 G r14.below
 G r15.below
 G r16.below
 G r17.below
 G r18.below
 G r19.below
 G r20.below
 G r21.below
 G r22.below
 G r23.below
 G r24.below
 G r25.below
 G r26.below
 G r27.below
 G r28.below
 G r29.below
 G r30.below
 G r31.below
 G r32.stack
 G r33.hang
 G r34.stack
 G r35.hang
 G r36.stack
 G r37.hang
 G r38.stack
 G r39.hang
 G r40.stack
 G r41.hang
 G r42.stack
 G r43.hang
 G r44.stack
 G r45.hang
 G r46.stack
 G r47.hang
 G r48.stack
 G r49.hang
COLUMNS
 M0 'MARKER' 'INTORG'
 peak cost 1
 peak r0.load 1
 peak r1.load 1
 peak r2.load 1
 peak r3.load 1
 peak r4.load 1
 peak r5.load 1
 peak r6.load 1
 peak r7.end 1
 peak r8.end 1
 peak r9.end 1
 peak r10.end 1
 peak r11.end 1
 peak r12.end 1
 peak r13.end 1
 peak r33.hang 1
 peak r35.hang 1
 peak r37.hang 1
 peak r39.hang 1
 peak r41.hang 1
 peak r43.hang 1
 peak r45.hang 1
 peak r47.hang 1
 peak r49.hang 1
 M1 'MARKER' 'INTEND'
 off.a_0 r7.end -1
 off.a_0 r14.below -1
 off.a_0 r15.below 1
 off.a_0.2 r8.end -1
 off.a_0.2 r14.below 1
 off.a_0.2 r15.below -1
 off.a_0.2 r16.below -1
 off.a_0.2 r17.below 1
 off.a_0.2 r18.below -1
 off.a_0.2 r19.below 1
 off.a_0.2 r32.stack 1
 off.a_0.2 r33.hang -1
 off.t2 r9.end -1
 off.t2 r16.below 1
 off.t2 r17.below -1
 off.t2 r20.below -1
 off.t2 r21.below 1
 off.t2 r22.below -1
 off.t2 r23.below 1
 off.t2 r34.stack 1
 off.t2 r35.hang -1
 off.t2 r38.stack 1
 off.t2 r39.hang -1
 off.t3 r10.end -1
 off.t3 r18.below 1
 off.t3 r19.below -1
 off.t3 r20.below 1
 off.t3 r21.below -1
 off.t3 r24.below -1
 off.t3 r25.below 1
 off.t3 r26.below -1
 off.t3 r27.below 1
 off.t3 r36.stack 1
 off.t3 r37.hang -1
 off.t3 r40.stack 1
 off.t3 r41.hang -1
 off.t3 r44.stack 1
 off.t3 r45.hang -1
 off.t4 r11.end -1
 off.t4 r22.below 1
 off.t4 r23.below -1
 off.t4 r24.below 1
 off.t4 r25.below -1
 off.t4 r28.below -1
 off.t4 r29.below 1
 off.t4 r42.stack 1
 off.t4 r43.hang -1
 off.t4 r46.stack 1
 off.t4 r47.hang -1
 off.t5 r12.end -1
 off.t5 r26.below 1
 off.t5 r27.below -1
 off.t5 r28.below 1
 off.t5 r29.below -1
 off.t5 r30.below -1
 off.t5 r31.below 1
 off.t5 r48.stack 1
 off.t5 r49.hang -1
 off.t6 r13.end -1
 off.t6 r30.below 1
 off.t6 r31.below -1
 M2 'MARKER' 'INTORG'
 below.a_0.a_0.2 r14.below -5
 below.a_0.a_0.2 r15.below 5
 below.a_0.2.t2 r16.below -5
 below.a_0.2.t2 r17.below 5
 below.a_0.2.t2 r32.stack 1
 below.a_0.2.t2 r33.hang -1
 below.a_0.2.t2 r34.stack -2
 below.a_0.2.t2 r35.hang 2
 below.a_0.2.t3 r18.below -5
 below.a_0.2.t3 r19.below 5
 below.a_0.2.t3 r32.stack 1
 below.a_0.2.t3 r33.hang -1
 below.a_0.2.t3 r36.stack -2
 below.a_0.2.t3 r37.hang 2
 below.t2.t3 r20.below -5
 below.t2.t3 r21.below 5
 below.t2.t3 r34.stack 1
 below.t2.t3 r35.hang -1
 below.t2.t3 r36.stack -1
 below.t2.t3 r37.hang 1
 below.t2.t3 r38.stack 1
 below.t2.t3 r39.hang -1
 below.t2.t3 r40.stack -1
 below.t2.t3 r41.hang 1
 below.t2.t4 r22.below -5
 below.t2.t4 r23.below 5
 below.t2.t4 r38.stack 1
 below.t2.t4 r39.hang -1
 below.t2.t4 r42.stack -1
 below.t2.t4 r43.hang 1
 below.t3.t4 r24.below -5
 below.t3.t4 r25.below 5
 below.t3.t4 r40.stack 1
 below.t3.t4 r41.hang -1
 below.t3.t4 r42.stack -1
 below.t3.t4 r43.hang 1
 below.t3.t4 r44.stack 1
 below.t3.t4 r45.hang -1
 below.t3.t4 r46.stack -1
 below.t3.t4 r47.hang 1
 below.t3.t5 r26.below -5
 below.t3.t5 r27.below 5
 below.t3.t5 r44.stack 2
 below.t3.t5 r45.hang -2
 below.t3.t5 r48.stack -1
 below.t3.t5 r49.hang 1
 below.t4.t5 r28.below -5
 below.t4.t5 r29.below 5
 below.t4.t5 r46.stack 2
 below.t4.t5 r47.hang -2
 below.t4.t5 r48.stack -1
 below.t4.t5 r49.hang 1
 below.t5.t6 r30.below -5
 below.t5.t6 r31.below 5
 M3 'MARKER' 'INTEND'
RHS
 rhs r0.load 2
 rhs r1.load 4
 rhs r2.load 3
 rhs r3.load 4
 rhs r4.load 3
 rhs r5.load 4
 rhs r6.load 4
 rhs r7.end 2
 rhs r8.end 2
 rhs r9.end 1
 rhs r10.end 1
 rhs r11.end 1
 rhs r12.end 2
 rhs r13.end 2
 rhs r14.below -3
 rhs r15.below 2
 rhs r16.below -3
 rhs r17.below 1
 rhs r18.below -3
 rhs r19.below 1
 rhs r20.below -4
 rhs r21.below 1
 rhs r22.below -4
 rhs r23.below 1
 rhs r24.below -4
 rhs r25.below 1
 rhs r26.below -4
 rhs r27.below 2
 rhs r28.below -4
 rhs r29.below 2
 rhs r30.below -3
 rhs r31.below 2
 rhs r32.stack 2
 rhs r33.hang 2
 rhs r34.stack 1
 rhs r35.hang 3
 rhs r37.hang 4
 rhs r38.stack 2
 rhs r39.hang 1
 rhs r40.stack 1
 rhs r41.hang 2
 rhs r43.hang 3
 rhs r44.stack 3
 rhs r45.hang 1
 rhs r46.stack 2
 rhs r47.hang 2
 rhs r49.hang 4
BOUNDS
 LO bounds peak 0
 UP bounds peak 5
 LO bounds off.a_0 0
 UP bounds off.a_0 3
 LO bounds off.a_0.2 0
 UP bounds off.a_0.2 3
 LO bounds off.t2 0
 UP bounds off.t2 4
 LO bounds off.t3 0
 UP bounds off.t3 4
 LO bounds off.t4 0
 UP bounds off.t4 4
 LO bounds off.t5 0
 UP bounds off.t5 3
 LO bounds off.t6 0
 UP bounds off.t6 3
 FX bounds below.a_0.a_0.2 1
 LO bounds below.a_0.2.t2 0
 UP bounds below.a_0.2.t2 1
 LO bounds below.a_0.2.t3 0
 UP bounds below.a_0.2.t3 1
 LO bounds below.t2.t3 0
 UP bounds below.t2.t3 1
 LO bounds below.t2.t4 0
 UP bounds below.t2.t4 1
 LO bounds below.t3.t4 0
 UP bounds below.t3.t4 1
 LO bounds below.t3.t5 0
 UP bounds below.t3.t5 1
 LO bounds below.t4.t5 0
 UP bounds below.t4.t5 1
 LO bounds below.t5.t6 0
 UP bounds below.t5.t6 1
ENDATA
